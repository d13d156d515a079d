//! The files in `deploy/`: linted, rendered, validated, and started as they say.

use super::ready;
use crate::serve::Web;
use crate::servers::fixture::wait_until;
use crate::world::{Outcome, World, can_run};
use serde_json::Value;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolscout_test_support::postgres::PostgresServer;

/// The version of Kubernetes that the chart needs, and a recent one.
const VERSIONS: [&str; 2] = ["1.30", "1.37"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The programs of `tests/deploy/requirements.txt`.
struct Checks(PathBuf);

impl Checks {
    /// None if `TOOLSCOUT_TEST_DEPLOY` does not name their virtual environment.
    fn installed() -> Option<Self> {
        let folder = std::env::var_os("TOOLSCOUT_TEST_DEPLOY").map(PathBuf::from);
        let programs = folder.map(|folder| folder.join("bin")).filter(|bin| bin.is_dir());
        can_run(programs.is_some(), "TOOLSCOUT_TEST_DEPLOY").then_some(programs).flatten().map(Self)
    }

    /// Runs a program at the top of the repository.
    fn run(&self, program: &str, args: &[&str]) -> Outcome {
        let mut command = Command::new(self.0.join(program));
        Outcome::run(command.args(args).current_dir(repository()).env("HOME", "/nonexistent"))
    }

    /// What the chart renders with these options.
    fn render(&self, options: &[&str]) -> String {
        let args = ["template", "toolscout", "deploy/helm/toolscout", "--namespace", "toolscout"];
        self.run("helm", &[&args, options].concat()).exits(0).out
    }

    /// Expects that Kubernetes accepts these manifests, without an unknown field.
    fn validate(&self, manifests: &Path) {
        let file = manifests.display().to_string();
        for version in VERSIONS {
            self.run("kubernetes-validate", &["--strict", "-k", version, &file]).exits(0);
        }
    }

    /// The documents of a YAML file.
    fn documents(&self, file: &Path) -> Vec<Value> {
        let script = "import json, sys, yaml; \
            print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";
        let documents = self.run("python3", &["-c", script, &file.display().to_string()]).exits(0);
        documents.json().as_array().expect("a list").clone()
    }
}

/// Y-40: what the chart renders is valid, and the manifests in the repository are its output.
#[test]
fn the_chart_renders_valid_manifests() {
    let Some(checks) = Checks::installed() else { return };
    checks.run("helm", &["lint", "--strict", "deploy/helm/toolscout"]).exits(0);
    let rendered = checks.render(&[]);
    let manifests = repository().join("deploy/kubernetes");
    let recorded = std::fs::read_to_string(manifests.join("toolscout.yaml")).expect("a file");
    assert!(
        rendered == recorded,
        "deploy/kubernetes/toolscout.yaml is outdated; deploy/README.md has the command"
    );
    checks.validate(&manifests.join("toolscout.yaml"));
    checks.validate(&manifests.join("secret.example.yaml"));
    let folder = tempfile::tempdir().expect("a folder");
    let everything = folder.path().join("everything.yaml");
    let options = "replicas=5,image.tag=v1,fleet.listenDatabase=true,fleet.migrateKey=owner,\
        allowHosts={a.example.com,b.example.com},jwt.issuer=https://i,jwt.audience=https://a,\
        extraArgs={--verbose},extraEnv[0].name=A,extraEnv[0].value=b,\
        extraVolumes[0].name=v,extraVolumes[0].emptyDir.sizeLimit=1Mi,\
        extraVolumeMounts[0].name=v,extraVolumeMounts[0].mountPath=/v,\
        image.pullSecrets[0].name=p,nodeSelector.disk=ssd,podAnnotations.a=b,\
        tolerations[0].operator=Exists,networkPolicy.enabled=false,service.type=LoadBalancer";
    std::fs::write(&everything, checks.render(&["--set", options])).expect("a file");
    checks.validate(&everything);
    for wrong in ["replicas=0", "fleet.projekt=shop", "jwt.issuer=https://i"] {
        let args = ["template", "toolscout", "deploy/helm/toolscout", "--set", wrong];
        assert_ne!(checks.run("helm", &args).code, 0, "{wrong}");
    }
}

/// Y-41: the compose file has the schema of compose files, and all YAML files are well written.
#[test]
fn the_compose_file_is_valid() {
    let Some(checks) = Checks::installed() else { return };
    let compose = "deploy/compose/compose.yaml";
    let schema = ["--builtin-schema", "vendor.compose-spec", compose];
    checks.run("check-jsonschema", &schema).exits(0);
    checks.run("yamllint", &["--strict", "-c", "deploy/.yamllint.yaml", "deploy"]).exits(0);
    let services = &checks.documents(&repository().join(compose))[0]["services"];
    let nginx =
        std::fs::read_to_string(repository().join("deploy/compose/nginx.conf")).expect("a file");
    for number in 1..=3 {
        let name = format!("toolscout-{number}");
        let environment = &services[&name]["environment"];
        assert_eq!(environment["TOOLSCOUT_REPLICA_ADDRESS"], format!("{name}:7421"));
        assert!(nginx.contains(&format!("server {name}:7420 ")), "{name}");
    }
}

/// Y-42: the program starts with the command, the variables and the configuration of the manifests,
/// and answers their probes.
#[test]
fn the_program_starts_as_the_manifests_say() {
    let Some(checks) = Checks::installed() else { return };
    let Some(server) = PostgresServer::shared() else { return };
    let manifests = checks.documents(&repository().join("deploy/kubernetes/toolscout.yaml"));
    let find = |kind: &str, name: &str| {
        let is_it = |it: &&Value| it["kind"] == kind && it["metadata"]["name"] == name;
        manifests.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} {name}"))
    };
    let key = World::bare().stdout(&["fleet", "key"]);
    let pod = Pod { url: server.database(), key: key.trim().to_owned(), fleet_port: free_port() };
    let job = &find("Job", "toolscout-migrate")["spec"]["template"]["spec"]["containers"][0];
    let migrating = pod.world(job, find("ConfigMap", "toolscout-migrate"));
    let command = texts(&job["command"]);
    assert_eq!(command[0], "toolscout");
    migrating.run(&words(&command[1..])).exits(0);
    let container = &find("Deployment", "toolscout")["spec"]["template"]["spec"]["containers"][0];
    let world = pod.world(container, find("ConfigMap", "toolscout"));
    let args = texts(&container["args"]);
    assert_eq!(
        (&args[0], &args[1], &args[2]),
        (&"serve".into(), &"--http".into(), &"0.0.0.0:7420".into())
    );
    let web = Web::start_at(&world, "0.0.0.0:0", &words(&args[3..]));
    let port = web.addr.rsplit_once(':').expect("a port").1;
    let local = crate::serve::Client { addr: format!("127.0.0.1:{port}") };
    wait_until("the replica is ready", || ready(&local)["status"] == "ready");
    for probe in ["readinessProbe", "livenessProbe"] {
        let path = container[probe]["httpGet"]["path"].as_str().expect("a path");
        assert_eq!(local.send("GET", path, &[], "").status, 200, "{probe}");
    }
    let status = |host: &str| local.send("GET", "/api/ready", &[host], "").status;
    assert_eq!((status("Host: toolscout.toolscout.svc"), status("Host: other")), (200, 403));
    let status = world.run(&["fleet", "status", "--json"]).exits(0).json();
    let replica = &status["replicas"][0];
    assert_eq!(replica["name"], "pod-1");
    assert_eq!(replica["address"], format!("127.0.0.1:{}", pod.fleet_port));
}

/// What Kubernetes gives to the containers.
struct Pod {
    url: String,
    key: String,
    fleet_port: u16,
}

impl Pod {
    /// A machine with the variables of a container, and with a mounted ConfigMap: a folder of links.
    fn world(&self, container: &Value, config: &Value) -> World {
        let mut world = World::bare().in_folder("work");
        let folder = world.temp_dir().join("config");
        std::fs::create_dir_all(folder.join("..data")).expect("a folder");
        for (name, text) in config["data"].as_object().expect("files") {
            let text = text.as_str().expect("a text");
            let text = text.replace("7421", &self.fleet_port.to_string());
            std::fs::write(folder.join("..data").join(name), text).expect("a file");
            symlink(Path::new("..data").join(name), folder.join(name)).expect("a link");
        }
        for variable in container["env"].as_array().expect("variables") {
            let name = variable["name"].as_str().expect("a name");
            if ["HOME", "TOOLSCOUT_CONFIG_DIR", "TOOLSCOUT_STATE_DIR"].contains(&name) {
                continue;
            }
            world = world.var(name, &self.value(variable));
        }
        world
    }

    fn value(&self, variable: &Value) -> String {
        let from = &variable["valueFrom"];
        let field = from["fieldRef"]["fieldPath"].as_str();
        match (field, from["secretKeyRef"]["key"].as_str(), variable["value"].as_str()) {
            (Some("status.podIP"), ..) => "127.0.0.1".to_owned(),
            (Some("metadata.name"), ..) => "pod-1".to_owned(),
            (_, Some("database-url"), _) => self.url.clone(),
            (_, Some("fleet-key"), _) => self.key.clone(),
            (_, _, Some(value)) => {
                let value = value.replace("$(POD_IP)", "127.0.0.1");
                value.replace("7421", &self.fleet_port.to_string())
            }
            _ => panic!("an unknown variable: {variable}"),
        }
    }
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().expect("a list").iter();
    items.map(|item| item.as_str().expect("a text").to_owned()).collect()
}

fn words(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}
