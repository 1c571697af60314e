"""What npu_fusion_attention and its versions compute, and their backwards, from the definition in torch_npu's documentation:

    softmax(mask(scale * (query @ key^T + pse))) @ value

One head of the keys of one sequence after the other, as the scores of all would not fit into memory. What is not defined there is refused. Which
scores dropout leaves is drawn by the device, from the seed and the offset from which its own kernels draw."""
import threading

import torch

from bisectd_torch_operators import CannotMove, check_draws_nothing, name_of

# From a layout, its flat heads apart, to [sequence, head, place, of a head].
TO_HEADS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}
UNKNOWN = "padding_mask", "sink", "query_rope", "key_rope", "dropout_mask"
LIMITS = torch.finfo(torch.float32)
COPIES = 8  # of each row's maximum and sum, side by side
DRAWN = 12  # numbers by which torch_npu moves its generator on for each call with dropout: 10, in steps of 4
DRAWS_WITHIN = 260  # from this number of a chip on (Ascend 950), attention draws within its kernel


def at_least_single(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


class Dropout(threading.local):
    """Of the call under way: the device's mask, a bit for each score, from where its generator stands or, in a backward, stood."""

    bits = generator = None
    seed = offset = scores = 0

    def draw(self, op, args, kwargs):
        given, name = named(op, args, kwargs), name_of(op)
        if given.get("keep_prob", 1) == 1 or name not in KERNELS:
            return check_draws_nothing(op, args, kwargs)
        query, layout = given["query"], given["input_layout"]
        if layout not in TO_HEADS:
            raise CannotMove(f"its formula knows no dropout in the layout {layout}")
        if torch.npu.utils.get_soc_version() >= DRAWS_WITHIN:
            raise CannotMove("it draws random numbers within its kernel where there is dropout, and nothing else draws the same")
        if "dy" in given:
            self.seed, self.offset = (int(given.get(name, 0)) for name in ("seed", "offset"))  # 0 is not handed over
        else:
            self.generator = torch.npu.default_generators[query.device.index]
            self.seed, self.offset = self.generator.initial_seed(), self.generator.get_offset()
        rows = query.numel() // query.size(-1) * (given["head_num"] if query.dim() == 3 else 1)
        self.scores = rows * given["key"].size(layout.index("S"))
        drops = (1 - torch.tensor(given["keep_prob"], dtype=torch.float32)).item()  # rounded as torch_npu does
        self.bits = torch.ops.npu._npu_dropout_gen_mask(query, [self.scores], drops, self.seed, self.offset, parallel=False).cpu()

    def end(self, moved=True):
        if self.generator and moved:
            self.generator.set_offset(self.offset + DRAWN)
        self.bits = self.generator = None

    def kept(self, first, count):
        """1 for each of these scores that stays, 0 for the others."""
        some = self.bits[first // 8:(first + count + 7) // 8, None]
        return torch.bitwise_right_shift(some, torch.arange(8, dtype=torch.uint8)).bitwise_and(1).flatten()[first % 8:][:count]


dropout = Dropout()


class Attention:
    """A call of the forward or of the backward. given: its arguments, by their names in the schema."""

    def __init__(self, given):
        self.given = given
        self.layout, self.mode, self.heads = given["input_layout"], given.get("sparse_mode", 0), given["head_num"]
        self.scale = given.get("scale", given.get("scale_value", 1.))
        self.keep_prob = given.get("keep_prob", 1)
        self.adds_first = given.get("pse_type", 1) == 1
        self.check_known()
        query, key, value = given["query"], given["key"], given["value"]
        self.key_heads = self.heads * key.size(2) // query.size(2) if self.layout in ("BSH", "SBH") else None
        self.queries = self.split(query, self.heads, "actual_seq_qlen")
        self.keys, self.values = (self.split(x, self.key_heads, "actual_seq_kvlen") for x in (key, value))

    def check_known(self):
        given = self.given
        for name in UNKNOWN:
            if given.get(name) is not None:
                raise RuntimeError(f"its formula does not know {name}")
        for name, value, known in (("input_layout", self.layout, (*TO_HEADS, "TND")), ("sparse_mode", self.mode, range(7)),
                                   ("pse_type", given.get("pse_type", 1), range(2))):
            if value not in known:
                raise RuntimeError(f"its formula knows of {name} {', '.join(map(str, known))}, not {value}")
        if self.layout == "TND" and given.get("pse") is not None:
            raise RuntimeError("its formula knows no pse in the layout TND")
        if self.keep_prob != 1 and dropout.bits is None:  # where a module moves, its operators are not on the device
            raise RuntimeError("its dropout is drawn by the device")

    def ends(self, of):
        """Where in the layout TND all sequences but the last one end."""
        ends = self.given[of]
        return tuple(ends.tolist() if isinstance(ends, torch.Tensor) else ends)[:-1]

    def split(self, x, heads, ends):
        """[head, place, of a head] of each sequence."""
        if self.layout == "TND":
            return [part.transpose(0, 1) for part in at_least_single(x).tensor_split(self.ends(ends))]
        apart = x.unflatten(2, (heads, -1)) if x.dim() == 3 else x
        return list(at_least_single(apart).permute(TO_HEADS[self.layout]))

    def joined(self, parts, like):
        """Back into the layout, and the dtype of `like`."""
        if self.layout == "TND":
            return torch.cat(parts, 1).transpose(0, 1).to(like.dtype)
        order = TO_HEADS[self.layout]
        x = torch.stack(parts).permute([order.index(dimension) for dimension in range(4)])
        return (x.flatten(2) if like.dim() == 3 else x).to(like.dtype)

    def hidden(self, sequence, head, rows, columns):
        """Which keys a query does not see, None for none: by the mask, or by a mode for which the mask is only a pattern."""
        mask = self.given.get("atten_mask")
        if self.mode in (0, 1, 5):
            return None if mask is None else of_head(mask.bool(), sequence, head)[..., :rows, :columns]
        column = torch.arange(columns)
        ahead = column - torch.arange(rows)[:, None] - (0 if self.mode == 2 else columns - rows)  # of the own place, from a corner
        if self.mode == 4:
            before, after = (self.reach(side) for side in ("pre", "next"))
            return (ahead > after) | (ahead < -before)
        return (ahead > 0) & (column >= self.given["prefix"][sequence]) if self.mode == 6 else ahead > 0

    def reach(self, side):
        return self.given.get(f"{side}_tockens", self.given.get(f"{side}_tokens", torch.inf))  # how the versions spell it

    def blocks(self):
        """For each sequence and each head of its keys: both, the queries' heads, the queries, keys, values and scores of these."""
        for sequence, (queries, keys, values) in enumerate(zip(self.queries, self.keys, self.values)):
            together = len(queries) // len(keys)
            for head, (k, v) in enumerate(zip(keys, values)):
                heads = slice(head * together, (head + 1) * together)
                q = queries[heads]
                scores = q @ k.T
                pse = self.given.get("pse")
                if pse is None:
                    scores = scores * self.scale
                else:
                    shift = of_head(at_least_single(pse), sequence, heads)
                    scores = (scores + shift) * self.scale if self.adds_first else scores * self.scale + shift
                hidden = self.hidden(sequence, heads, *scores.shape[1:])
                yield sequence, heads, q, k, v, scores if hidden is None else scores.masked_fill(hidden, -torch.inf)

    def dropped(self, x, sequence, heads):
        if self.keep_prob == 1:
            return x
        return x * dropout.kept((sequence * self.heads + heads.start) * x[0].numel(), x.numel()).view(x.shape) / self.keep_prob

    def forward(self):
        """The result, of each row of scores the maximum and the sum behind it, and an empty tensor. Rows are [sequence, head, place, COPIES], in the
        layout TND [head, place, COPIES], which no device reads, so that forward and backward move together there."""
        results = [], [], []
        for sequence, heads, _, _, v, scores in self.blocks():
            most = scores.amax(-1, True)
            total = terms(scores, most).sum(-1, True)
            for of, part in zip(results, (self.dropped(share(terms(scores, most), total), sequence, heads) @ v, most, total)):
                append(of, sequence, part)
        result, *rows = ([torch.cat(heads) for heads in of] for of in results)
        rows = (torch.cat(one, 1) if self.layout == "TND" else torch.stack(one) for one in rows)
        query = self.given["query"]
        return self.joined(result, query), *(one.expand(*one.shape[:-1], COPIES).float() for one in rows), query.new_empty(0)

    def backward(self):
        """Gradients of query, key, value and pse, by what the forward kept: of other keys, too, in a ring of devices."""
        given = self.given
        to_result, result = (self.split(given[name], self.heads, "actual_seq_qlen") for name in ("dy", "attention_in"))
        rows = [at_least_single(given[f"softmax_{name}"])[..., :1] for name in ("max", "sum")]
        most, total = (one.tensor_split(self.ends("actual_seq_qlen"), 1) if self.layout == "TND" else one for one in rows)
        gradients, pse, to_pse = ([], [], []), given.get("pse"), []
        for sequence, heads, q, k, v, scores in self.blocks():
            dy = to_result[sequence][heads]
            p = share(terms(scores, most[sequence][heads]), total[sequence][heads])
            to_scores = p * (self.dropped(dy @ v.T, sequence, heads) - (dy * result[sequence][heads]).sum(-1, True))
            to_values = (self.dropped(p, sequence, heads).mT @ dy).sum(0, True)
            parts = to_scores @ k * self.scale, (to_scores.mT @ q).sum(0, True) * self.scale, to_values
            for of, part in zip(gradients, parts):
                append(of, sequence, part)
            if pse is not None:
                append(to_pse, sequence, to_scores * (self.scale if self.adds_first else 1))
        named = zip(gradients, ("query", "key", "value"))
        return *(self.joined([torch.cat(heads) for heads in of], given[name]) for of, name in named), (
            given["query"].new_empty(0) if pse is None else torch.stack([torch.cat(heads) for heads in to_pse]).sum_to_size(pse.shape).to(pse.dtype))


def append(of, sequence, part):
    if sequence == len(of):
        of.append([])
    of[sequence].append(part)


def of_head(x, sequence, heads):
    """Of a mask or pse of any of the shapes [sequence or 1, head or 1, ...] or [place, place]."""
    if x.dim() == 2:
        return x
    one = x[sequence if len(x) > 1 else 0]
    return one[heads] if len(one) > 1 else one


def terms(scores, most):
    """Of the softmax; 0 in a row without keys, whose maximum is -inf."""
    return (scores - most.clamp(min=LIMITS.min)).exp()


def share(part, total):
    return part / total.clamp(min=LIMITS.tiny)


KERNELS = [f"npu_fusion_attention{end}" for end in ("", "_v2", "_v3", "_grad", "_grad_v2", "_grad_v3")]


def named(op, args, kwargs):
    return {**dict(zip((argument.name for argument in op._schema.arguments), args)), **kwargs}


def kernel(op):
    def computed(*args, **kwargs):
        given = named(op, args, kwargs)
        attention = Attention(given)
        if "dy" in given:
            tensors, others = attention.backward(), (0, 0, 0)  # gradients of what is refused
        else:
            tensors, others = attention.forward(), (dropout.seed, dropout.offset, dropout.scores)
        kinds = op._schema.returns[len(tensors):]
        return *tensors, *(value if str(kind.type) == "int" else torch.tensor([value]) for kind, value in zip(kinds, others))

    return computed
