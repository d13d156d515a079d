//! Tasks become tools: which ones, with which parameters, and what runs.

use super::{Task, TaskRunner, TaskToolFile, task_tool_file};
use serde_json::Value;
use toolscout_test_support::World;

fn read(runner: TaskRunner, text: &str) -> Vec<Task> {
    let tasks = runner.read(text).expect("it can be read");
    tasks.into_iter().map(|task| task.expect("a task")).collect()
}

fn schema(task: Task, runner: TaskRunner) -> Value {
    let tool = task.into_described(runner, "/p".as_ref()).expect("a tool");
    tool.input_schema.expect("a schema").to_value()
}

/// U-30: phony and documented targets; variables from the comment above.
#[test]
fn targets_of_a_makefile_are_tasks() {
    let text = "CC := gcc\n.PHONY: test clean\n\nall: build\n\n\
        # Deploy the service\n# param ENV string required enum=dev|prod - Where to\n\
        # param TAG - What\n# timeout: 20m\ndeploy: build\n\t./deploy $(ENV)\n\n\
        build: main.o ## Build everything\n\tcc\n\n# Run the tests\ntest:\n\t./t\n\n\
        main.o: main.c\n%.o: %.c\nclean:\n";
    let tasks = read(TaskRunner::Make, text);
    let named = tasks.iter().map(|task| (&*task.name, task.description.as_deref()));
    let names: Vec<_> = named.collect();
    // `deploy` is neither phony nor described by `##`.
    let expected =
        [("build", Some("Build everything")), ("test", Some("Run the tests")), ("clean", None)];
    assert_eq!(names, expected);
    let text = text.replace("test clean", "test clean deploy");
    let deploy = read(TaskRunner::Make, &text).remove(0);
    assert_eq!(deploy.args, ["ENV={env}", "TAG={tag}"]);
    assert_eq!(deploy.command, ["make", "--no-print-directory", "deploy"]);
    assert_eq!(deploy.timeout_ms, Some(1_200_000));
    let schema = schema(deploy, TaskRunner::Make);
    assert_eq!(schema["properties"]["env"]["enum"], serde_json::json!(["dev", "prod"]));
    assert_eq!(schema["properties"]["tag"]["pattern"], super::PLAIN_VALUE);
    assert_eq!(schema["required"], serde_json::json!(["env"]));
}

/// make and the shell would read the JSON of a list as more than text.
#[test]
fn a_target_takes_no_lists_and_no_objects() {
    for word in ["array", "array:string", "array:array:integer", "object"] {
        let text = format!("# param FILES {word}\nlint: ## Lint\n\tlint $(FILES)\n");
        let error = TaskRunner::Make.read(&text).expect("a file").remove(0).expect_err("refused");
        let error = error.reason;
        assert!(error.contains("target `lint`: parameter `FILES`: "), "{word}: {error}");
    }
}

/// U-31: recipes with parameters, defaults and lists; private ones are left out.
#[test]
fn recipes_of_a_justfile_are_tasks() {
    let text = "set shell := [\"sh\"]\nversion := '1'\n\n# Build a target\n\
        build target='all' mode=(version + 'x') *flags: dep\n  cc {{target}}\n\n\
        [private]\nhelper:\n_hidden:\n@greet name +rest:\n  echo\n";
    let mut tasks = read(TaskRunner::Just, text);
    let names: Vec<_> = tasks.iter().map(|task| task.name.clone()).collect();
    assert_eq!(names, ["build", "greet"]);
    assert_eq!(tasks[0].description.as_deref(), Some("Build a target"));
    assert_eq!(tasks[0].args, ["{target}", "{mode}", "{flags}"]);
    assert_eq!(tasks[0].command, ["just", "--", "build"]);
    let greet = schema(tasks.remove(1), TaskRunner::Just);
    assert_eq!(greet["required"], serde_json::json!(["name", "rest"]));
    let build = schema(tasks.remove(0), TaskRunner::Just);
    assert_eq!(build["properties"]["target"]["default"], "all");
    assert!(build["properties"]["mode"].get("default").is_none());
    assert_eq!(build["properties"]["flags"]["type"], "array");
}

/// U-53: one wrong comment is reported, and hides no other task.
#[test]
fn a_task_that_cannot_be_read_hides_no_other() {
    let world = World::new();
    world.file(
        "Makefile",
        ".PHONY: bad good\n# timeout: never\nbad:\n\ttrue\n\n# Works\ngood:\n\ttrue\n",
    );
    world.file("justfile", "# timeout: never\nbad:\n  true\n\n# Works\ngood:\n  true\n");
    for runner in ["make", "just"] {
        let file = |task: &str| {
            let words = [runner, task].map(str::to_owned);
            task_tool_file(&words, &world.path(), None).expect("a task")
        };
        assert_eq!(file("good").expect("a tool file").name, format!("{runner}-good"));
        let error = file("bad").expect_err("its comment is wrong");
        assert!(error.contains("`bad`: ") && error.contains("never"), "{error}");
    }
}

/// U-54: just takes arguments by position, so one that is left out must not move the next.
#[test]
fn an_argument_after_an_unknown_default_needs_the_one_before() {
    let text = "build target='all' mode=(version + 'x') *flags:\n  true\n";
    let build = schema(read(TaskRunner::Just, text).remove(0), TaskRunner::Just);
    assert_eq!(build["dependentRequired"], serde_json::json!({"flags": ["mode"]}));
}

/// U-32: scripts take more arguments; hooks of other scripts are left out.
#[test]
fn scripts_of_a_package_are_tasks() {
    let text = r#"{"scripts": {"build": "tsc", "prebuild": "x", "lint:fix": "eslint --fix"}}"#;
    let tasks = read(TaskRunner::Npm, text);
    let names: Vec<_> =
        tasks.iter().map(|task| super::tool_name(TaskRunner::Npm, &task.name)).collect();
    assert_eq!(names, ["npm-build", "npm-lint-fix"]);
    assert_eq!(tasks[1].command, ["npm", "run", "--silent", "lint:fix", "--"]);
    assert!(read(TaskRunner::Npm, "{}").is_empty());
    assert!(TaskRunner::Npm.read("{").is_err());
}

/// U-33: a value that a shell or make would read as more than text does not match.
#[test]
fn values_of_tasks_are_plain_text() {
    let pattern = regex::Regex::new(super::PLAIN_VALUE).expect("a pattern");
    for plain in ["", "prod", "v1.2.3", "a b", "http://x/y:8080", "k=v,w", "50%"] {
        assert!(pattern.is_match(plain), "{plain}");
    }
    for other in ["$(id)", "`id`", "a;b", "a|b", "a&b", "a>b", "'", "\"", "a\nb", "\\", "#", "*"] {
        assert!(!pattern.is_match(other), "{other}");
    }
}

/// U-34: one task as a tool file.
#[test]
fn one_task_becomes_a_tool_file() {
    let world = World::new();
    world.file("Makefile", "deploy: ## Deploy the service\n\t./deploy\n");
    let words = ["make", "deploy"].map(str::to_owned);
    let file = |words: &[String]| task_tool_file(words, &world.path(), None);
    let TaskToolFile { name, text, .. } =
        file(&words).expect("a task").expect("the tool file is valid");
    assert_eq!(name, "make-deploy");
    assert!(text.contains("command = [\"make\", \"--no-print-directory\", \"deploy\"]"), "{text}");
    let words = ["make", "x"].map(str::to_owned);
    let error = file(&words).expect("a task").expect_err("the task is unknown");
    let expected = "`Makefile` has no task `x`; it has: deploy. Add `x` to `.PHONY`, or `## DESCRIPTION` to its line";
    assert_eq!(error, expected);
    assert!(file(&["make".to_owned(), "-j".to_owned(), "x".to_owned()]).is_none());
}
