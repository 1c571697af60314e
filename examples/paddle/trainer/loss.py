"""The two losses PaddleOCR's recognisers are trained with."""
import paddle
import paddle.nn.functional as functional


def ctc_loss(logits, labels):
    batch, steps, _ = logits.shape
    lengths = paddle.full([batch], steps, dtype="int64")
    label_lengths = paddle.full([batch], labels.shape[1], dtype="int64")
    loss = functional.ctc_loss(logits.transpose([1, 0, 2]), labels, lengths, label_lengths, blank=0, reduction="none")
    return loss.mean()


def cross_entropy_loss(logits, labels):
    """Every letter has its own share of the steps."""
    batch, steps, classes = logits.shape
    letters = labels.shape[1]
    by_letter = logits.reshape([batch, letters, steps // letters, classes]).mean(axis=2)
    return functional.cross_entropy(by_letter.reshape([-1, classes]), labels.astype("int64").reshape([-1, 1]))


def build_loss(name):
    return {"CTCLoss": ctc_loss, "CELoss": cross_entropy_loss}[name]
