"""A small decoder: embeddings, attention, layer norm, gelu."""
import paddle
import paddle.nn as nn
import paddle.nn.functional as functional


class Attention(nn.Layer):
    def __init__(self, hidden, heads, longest):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.register_buffer("mask", paddle.triu(paddle.full([longest, longest], -1e4), 1), persistable=False)

    def forward(self, x):
        batch, length, hidden = x.shape
        query, key, value = self.qkv(x).reshape([batch, length, 3, self.heads, self.size]).transpose([2, 0, 3, 1, 4]).unbind(0)
        scores = paddle.matmul(query * self.size**-0.5, key, transpose_y=True)
        weights = functional.softmax(scores.astype("float32") + self.mask[:length, :length])
        return self.out(paddle.matmul(weights, value).transpose([0, 2, 1, 3]).reshape([batch, length, hidden]))


class Block(nn.Layer):
    def __init__(self, hidden, heads, longest, dropout):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(hidden), Attention(hidden, heads, longest)
        self.norm2, self.up, self.down = nn.LayerNorm(hidden), nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.down(functional.gelu(self.up(self.norm2(x)))))


class Transformer(nn.Layer):
    def __init__(self, words, longest, dropout, hidden=32, heads=2, depth=2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, hidden), nn.Embedding(longest, hidden)
        self.blocks = nn.LayerList([Block(hidden, heads, longest, dropout) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(hidden), nn.Linear(hidden, words)

    def forward(self, words):  # [batch, length] -> [batch, length, words]
        x = self.words(words) + self.places(paddle.arange(words.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
