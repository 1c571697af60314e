"""What bisenetv2.yml needs beside PaddleSeg: data without a download, and a loss that works with Paddle 3."""
import numpy
import paddle
import paddle.nn.functional as functional
from paddleseg.cvlibs import manager


@manager.DATASETS.add_component
class DarkSquares(paddle.io.Dataset):
    """Noise with one darker square; the square is class 1.  Drawn in memory, so any number of runs may do it at once."""
    NUM_CLASSES = 2
    IMG_CHANNELS = 3
    IGNORE_INDEX = 255

    def __init__(self, samples, size, seed, mode, transforms=None):
        random = numpy.random.default_rng(seed)
        self.images = random.uniform(-1, 1, (samples, 3, size, size)).astype("float32")
        self.labels = numpy.zeros((samples, size, size), "int64")
        for image, label in zip(self.images, self.labels):
            side = size // 3
            top, left = random.integers(0, size - side, 2)
            image[:, top:top + side, left:left + side] = image[:, top:top + side, left:left + side] / 3 - 0.6
            label[top:top + side, left:left + side] = 1

    def __len__(self):
        return len(self.images)

    def __getitem__(self, number):
        return {"img": self.images[number], "label": self.labels[number]}


@manager.LOSSES.add_component
class PixelCrossEntropyLoss(paddle.nn.Layer):
    """PaddleSeg 2.8.0's own CrossEntropyLoss multiplies a float with an integer, which Paddle 3 refuses."""

    def __init__(self, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logit, label):
        classes = logit.shape[1]
        loss = functional.cross_entropy(
            logit.transpose([0, 2, 3, 1]).reshape([-1, classes]), label.reshape([-1, 1]), ignore_index=self.ignore_index)
        return loss.reshape([1])  # the trainer prints loss[0]
