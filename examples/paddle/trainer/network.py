"""A small CRNN: convolutions with a squeeze-and-excitation step, a bidirectional LSTM, and a head."""
import paddle.nn as nn
import paddle.nn.functional as functional


class ConvBlock(nn.Layer):
    def __init__(self, channels_in, channels, activation, groups=1):
        super().__init__()
        self.conv = nn.Conv2D(channels_in, channels, 3, groups=groups, bias_attr=False)
        self.norm = nn.BatchNorm2D(channels)
        self.activation = activation

    def forward(self, x):
        x = functional.pad(x, [1, 1, 1, 1])  # pad3d, the operator PaddleOCR's users black-list most
        return self.activation(self.norm(self.conv(x)))


class SqueezeExcite(nn.Layer):
    def __init__(self, channels):
        super().__init__()
        self.squeeze = nn.Conv2D(channels, channels // 4, 1)
        self.excite = nn.Conv2D(channels // 4, channels, 1)

    def forward(self, x):
        weight = functional.adaptive_avg_pool2d(x, 1)
        return x * functional.hardsigmoid(self.excite(functional.relu(self.squeeze(weight))))


class Recogniser(nn.Layer):
    def __init__(self, classes, channels=24, hidden=24):
        super().__init__()
        self.stem = ConvBlock(1, channels // 2, functional.hardswish)
        self.body = ConvBlock(channels // 2, channels, functional.relu)
        self.depthwise = ConvBlock(channels, channels, functional.hardswish, groups=channels)
        self.attention = SqueezeExcite(channels)
        self.sequence = nn.LSTM(channels * 2, hidden, direction="bidirect")
        self.norm = nn.LayerNorm(2 * hidden)
        self.hidden = nn.Linear(2 * hidden, 2 * hidden)
        self.head = nn.Linear(2 * hidden, classes)

    def forward(self, x):  # [batch, 1, 16, 48]
        x = functional.max_pool2d(self.stem(x), 2)
        x = functional.max_pool2d(self.body(x), 2)
        x = self.attention(self.depthwise(x))
        x = functional.avg_pool2d(x, (2, 1))  # [batch, channels, 2, 12]
        batch, channels, height, width = x.shape
        x = x.transpose([0, 3, 1, 2]).reshape([batch, width, channels * height])
        x, _ = self.sequence(x)
        x = functional.gelu(self.hidden(self.norm(x)))
        return self.head(x)  # [batch, 12, classes]
