"""The shim that perturbs the parameters of trainings with TensorFlow. By hand: python3 -m venv build/tensorflow;
build/tensorflow/bin/pip install tensorflow-cpu==2.12.0 (1 GB)"""
import unittest

from space import SOURCE
from test_perturbation_shims import run

TENSORFLOW = SOURCE / "build/tensorflow/bin/python"


@unittest.skipUnless(TENSORFLOW.exists(), "TensorFlow is not there")
class TensorFlowShim(unittest.TestCase):
    """TensorFlow 2 and, in its sessions, TensorFlow 1."""

    DATA = """
import json, sys, numpy, tensorflow as tf
x = numpy.random.default_rng(3).standard_normal((16, 8)).astype("float32"); y = x[:, :1] + 3
losses = []
"""
    GRAPH = DATA + """
v1 = tf.compat.v1; v1.disable_eager_execution()
class Own(v1.train.Optimizer):  # as in BERT's own script
    def __init__(self): super().__init__(False, "own")
    def apply_gradients(self, pairs, global_step=None, name=None): return tf.group(*[one.assign(one - .1 * gradient) for gradient, one in pairs])
normal = v1.initializers.random_normal
a, b = (v1.get_variable(name, shape, initializer=normal(seed=1), use_resource=RESOURCE) for name, shape in (("a", [8, 4]), ("b", [4, 1])))
loss = tf.reduce_mean((tf.tanh(tf.constant(x) @ a) @ b + v1.get_variable("zero", [1], initializer=v1.initializers.zeros()) - y) ** 2)
train = tf.group(OPTIMIZER.minimize(loss), v1.train.get_or_create_global_step().assign_add(1))
with SESSION() as session:
    if SESSION is v1.Session: session.run(v1.global_variables_initializer())
    for _ in range(3): losses.append(float(session.run({"loss": loss, "train": train})["loss"]))
print(json.dumps(losses))
"""
    EAGER = DATA + """
layers = [tf.keras.layers.Dense(size, "tanh" if size > 1 else None, kernel_initializer=tf.keras.initializers.GlorotUniform(size)) for size in (4, 1)]
net = tf.keras.Sequential(layers); optimizer = OPTIMIZER
def train(x, y):
    with tf.GradientTape() as tape: loss = tf.reduce_mean((net(x, training=True) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss
if WAY == "function": train = tf.function(train)
if WAY == "fit":
    net.compile(optimizer, "mse"); losses = net.fit(x, y, batch_size=16, epochs=3, verbose=0, shuffle=False).history["loss"]
else:
    losses = [float(train(x, y)) for _ in range(3)]
print(json.dumps(losses))
"""

    def check(self, script, first=0, **words):
        for name, word in words.items():
            script = script.replace(name, word)
        plain, _ = run(TENSORFLOW, script)
        (one, said), (again, _), (other, _) = (run(TENSORFLOW, script, seed) for seed in (1, 1, 2))
        self.assertEqual([line for line in said if "perturbed" in line], ["bisectd: perturbed 2 parameters by 0.00098 of their size (seed 1)"])
        self.assertEqual(one, again)
        for runs in zip(plain[first:], one[first:], other[first:], strict=True):
            self.assertEqual(len(set(runs)), 3)
            self.assertLess(max(runs) / min(runs), 1.01)

    def test_sessions(self):
        for optimizer in "v1.train.AdamOptimizer(.05)", "Own()":
            self.check(self.GRAPH, OPTIMIZER=optimizer, RESOURCE="False", SESSION="v1.Session")
        self.check(self.GRAPH, OPTIMIZER="v1.train.AdamOptimizer(.05)", RESOURCE="True", SESSION="v1.train.MonitoredTrainingSession")

    def test_keras_and_loops_of_ones_own(self):
        for optimizer in "tf.keras.optimizers.AdamW(.05)", "tf.keras.optimizers.legacy.Adam(.05)":
            self.check(self.EAGER, OPTIMIZER=optimizer, WAY='"fit"')
            self.check(self.EAGER, OPTIMIZER=optimizer, WAY='"function"')
        self.check(self.EAGER, first=1, OPTIMIZER="tf.keras.optimizers.AdamW(.05)", WAY='"eager"')  # moved behind the first forward


if __name__ == "__main__":
    unittest.main()
