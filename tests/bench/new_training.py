#!/usr/bin/env python3
"""Trainings as a new user of torch_npu has them, each as short as a verdict allows.

    new_training.py {cnn,bert,lightning,accelerate,compile,compiler,foreach,padding,tqdm,composite} SEED STEPS

bert          a tiny BERT with random weights, by the Trainer of Hugging Face and what it logs
lightning     Lightning, its bar and its logger, by way of torch_npu.contrib.transfer_to_npu
accelerate    a transformer by accelerate, gradients clipped
compile       torch.compile with the backend aot_eager; inductor wants Triton-Ascend on a device
compiler      the same, with graphs that are wrong if the file of the variable PLANTED names something
foreach       AdamW by foreach operators
padding       an Embedding with a padding_idx
tqdm          a bar, above which losses are written; to be started with 2>&1 | tee
composite     binary_cross_entropy_with_logits
"""
import json
import os
import pathlib
import sys

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from torch_npu_training import CLASSES, cnn, pictures, sentences, train

DEVICE = "npu"
LETTERS = train.WORDS


class Bag(nn.Module):
    """The class of a sentence of which an unknown share is padding."""

    def __init__(self):
        super().__init__()
        self.words, self.body = nn.Embedding(LETTERS, 32, padding_idx=0), nn.GRUCell(32, 32)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, words):
        return self.head(torch.tanh(self.body(functional.silu(self.words(words)).mean(1))))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(256, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, CLASSES))


def told_words(seed, count):
    """Sentences with padding behind them, half of whose letters tell their class."""
    drawn = torch.Generator().manual_seed(seed)
    words, target = torch.randint(1, LETTERS, (count, 12), generator=drawn), torch.randint(CLASSES, (count,), generator=drawn)
    telling = torch.rand(count, 12, generator=drawn) < .5
    words[telling] += (target[:, None] - words)[telling] % CLASSES
    words[torch.arange(12) >= torch.randint(4, 13, (count, 1), generator=drawn)] = 0
    return words.clamp(max=LETTERS - 1), target


def picture_loader(seed, steps):
    x, target = (torch.cat(part) for part in zip(*pictures(seed, steps)))
    return DataLoader(TensorDataset(x, target), batch_size=16, shuffle=True)


def plain(seed, steps, model, optimizer=lambda parameters: torch.optim.SGD(parameters, lr=.02, momentum=.9), loader=picture_loader,
          lose=functional.cross_entropy, say=print, bar=iter):
    model = model.to(DEVICE)
    optimizer = optimizer(model.parameters())
    for step, (x, target) in enumerate(bar(loader(seed, steps)), 1):
        optimizer.zero_grad()
        loss = lose(model(x.to(DEVICE)), target.to(DEVICE))
        loss.backward()
        optimizer.step()
        say(f"step {step} loss: {loss.item():.6f}")


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=3e-3)


def train_bert(seed, steps):
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    words, target = told_words(seed, 64 * steps)
    data = [{"input_ids": one, "attention_mask": (one > 0).long(), "labels": label} for one, label in zip(words, target)]
    model = BertForSequenceClassification(BertConfig(vocab_size=LETTERS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                                     intermediate_size=64, max_position_embeddings=16, num_labels=CLASSES,
                                                     attention_probs_dropout_prob=0))
    Trainer(model, TrainingArguments("out", max_steps=steps, per_device_train_batch_size=64, learning_rate=5e-3, logging_steps=1, seed=seed,
                                     save_strategy="no", report_to="none"), train_dataset=data).train()


def train_lightning(seed, steps):
    from torch_npu.contrib import transfer_to_npu  # noqa: F401
    import lightning
    from lightning.pytorch.callbacks import TQDMProgressBar
    torch.cuda.get_device_capability = lambda device: (8, 0)  # Lightning asks, and torch_npu answers None

    class Lit(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = cnn()

        def training_step(self, batch, _):
            loss = functional.cross_entropy(self.net(batch[0]), batch[1])
            self.log("loss", loss, prog_bar=True)
            return loss

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=3e-3)

    lightning.Trainer(max_steps=steps, accelerator="gpu", devices=1, log_every_n_steps=1, enable_checkpointing=False,
                      callbacks=[TQDMProgressBar()]).fit(Lit(), picture_loader(seed, steps))


def train_accelerate(seed, steps):
    from accelerate import Accelerator

    accelerator = Accelerator()
    model = train.Model("plain")
    model, optimizer = accelerator.prepare(model, adamw(model.parameters()))
    for step, (x, target) in enumerate(sentences(seed, steps), 1):
        loss = functional.cross_entropy(model(x.to(accelerator.device)).view(-1, LETTERS), target.to(accelerator.device))
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.)
        optimizer.step()
        optimizer.zero_grad()
        accelerator.print(f"step {step} loss: {loss.item():.6f}")


def train_tqdm(seed, steps):
    from tqdm import tqdm

    plain(seed, steps, cnn(), say=tqdm.write, bar=tqdm)


def composite_loss(output, target):
    return functional.binary_cross_entropy_with_logits(output, (target[:, None] == torch.arange(CLASSES, device=DEVICE)).float())


def too_large(graph, inputs):
    """What follows a tanh in a graph, made too large by as much as the file of the variable PLANTED says."""
    wrong = json.loads(pathlib.Path(os.environ["PLANTED"]).read_text()) if "PLANTED" in os.environ else {}
    for node in [node for node in graph.graph.nodes if node.target is torch.ops.aten.tanh.default and "tanh" in wrong]:
        with graph.graph.inserting_after(node):
            larger = graph.graph.call_function(torch.ops.aten.mul.Tensor, (node, 1 + wrong["tanh"]))
        node.replace_all_uses_with(larger, delete_user_cb=lambda user: user is not larger)
    graph.recompile()
    return graph


def train_compiler(seed, steps):
    from torch._dynamo.backends.common import aot_autograd

    plain(seed, steps, torch.compile(mlp(), backend=aot_autograd(fw_compiler=too_large)))


TRAININGS = {
    "cnn": lambda *given: plain(*given, cnn()),
    "bert": train_bert,
    "lightning": train_lightning,
    "accelerate": train_accelerate,
    "compile": lambda *given: plain(*given, torch.compile(mlp(), backend="aot_eager")),
    "compiler": train_compiler,
    "foreach": lambda *given: plain(*given, mlp(), lambda parameters: torch.optim.AdamW(parameters, lr=3e-3, foreach=True)),
    "padding": lambda *given: plain(*given, Bag(), adamw, lambda seed, steps: DataLoader(TensorDataset(*told_words(seed, 16 * steps)), 16)),
    "tqdm": train_tqdm,
    "composite": lambda *given: plain(*given, mlp(), lose=composite_loss),
}


def main():
    kind, seed, steps = sys.argv[1], *map(int, sys.argv[2:])
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    TRAININGS[kind](seed, steps)


if __name__ == "__main__":
    main()
