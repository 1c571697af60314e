"""Synthetic text lines: glyphs of a made-up alphabet, placed unevenly on a noisy ground.  All of it follows from the seed."""
import numpy

HEIGHT, WIDTH, GLYPH_HEIGHT, GLYPH_WIDTH = 16, 48, 10, 7


class TextLines:
    classes = 10  # labels 1..10; 0 is the blank of CTC

    def __init__(self, samples, text_length, seed):
        random = numpy.random.default_rng(seed)
        glyphs = (random.random((self.classes, GLYPH_HEIGHT, GLYPH_WIDTH)) < 0.5).astype("float32")
        self.labels = random.integers(1, self.classes + 1, (samples, text_length)).astype("int32")
        self.images = random.normal(0, 0.25, (samples, 1, HEIGHT, WIDTH)).astype("float32")
        pitch = WIDTH // text_length
        for image, label in zip(self.images, self.labels):
            for place, letter in enumerate(label):
                top = random.integers(0, HEIGHT - GLYPH_HEIGHT + 1)
                left = place * pitch + random.integers(0, pitch - GLYPH_WIDTH + 1)
                image[0, top:top + GLYPH_HEIGHT, left:left + GLYPH_WIDTH] += glyphs[letter - 1]

    def __len__(self):
        return len(self.labels)

    def batch(self, number, size):
        rows = slice(number * size, (number + 1) * size)
        return self.images[rows], self.labels[rows]
