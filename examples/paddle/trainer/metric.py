"""Accuracy and normalised edit distance of greedily decoded lines, as PaddleOCR prints them while training."""


def decode(letters):
    """Repeats collapse, blanks (0) go."""
    return [letter for before, letter in zip([0, *letters], letters) if letter and letter != before]


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def recognition_metric(logits, labels):
    right = similarity = 0
    for letters, label in zip(logits.argmax(axis=2).tolist(), labels.tolist()):
        text = decode(letters)
        right += text == label
        similarity += 1 - edit_distance(text, label) / max(len(text), len(label))
    return {"acc": right / len(labels), "norm_edit_dis": similarity / len(labels)}
