"""The configuration file and its overrides, read as PaddleOCR reads them."""
import argparse

import yaml


def read_config(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", "--config", required=True)
    parser.add_argument("-o", "--opt", nargs="+", default=[], metavar="Section.key=value")
    chosen = parser.parse_args(arguments)
    with open(chosen.config, encoding="utf-8") as file:
        config = yaml.safe_load(file)
    for override in chosen.opt:
        key, separator, value = override.partition("=")
        if not separator:
            parser.error("-o %s: Section.key=value is wanted" % override)
        put(config, key.split("."), yaml.safe_load(value), parser)
    return config


def put(config, path, value, parser):
    *sections, last = path
    for section in sections:
        if not isinstance(config.get(section), dict):
            parser.error("-o %s: the configuration has no section '%s'" % (".".join(path), section))
        config = config[section]
    if last not in config:
        parser.error("-o %s: unknown key; known here: %s" % (".".join(path), ", ".join(config)))
    # YAML 1.1 reads 1e-3 as a text.
    config[last] = float(value) if isinstance(config[last], float) else value
