//! Composes plugins into the workspace of a project: setup, sources, gateway, after-setup.

use crate::command::{Extensions, OpenedProject, ProjectOpener};
use crate::operation_command::OperationCliCommand;
use crate::plugin::{AfterSetup, Setup};
use crate::{
    AppError, Decorator, Environment, LifecycleError, Options, Plugin, Startup, Tools, Workspace,
};
use std::collections::HashSet;
use std::sync::Arc;
use toolscout_core::event::Observers;
use toolscout_gateway::{Gateway, GatewayBuilder};
use toolscout_surface::operation::Operations;
use toolscout_workspace::OPERATIONS;

/// The parts of a program that every project in its process shares.
#[derive(Clone)]
pub(crate) struct Composition {
    pub(crate) program: Arc<str>,
    /// In the order of their setup.
    pub(crate) plugins: Arc<[Arc<dyn Plugin>]>,
    pub(crate) environment: Arc<Environment>,
}

impl Composition {
    /// The first phase of all plugins. A further project of the same process inherits the offers
    /// of the first one.
    pub(crate) fn setup(&self, inherited: Option<Arc<Extensions>>) -> Result<Setup, AppError> {
        let mut setup = Setup { inherited, ..Setup::default() };
        for plugin in &*self.plugins {
            plugin.setup(&mut setup)?;
        }
        self.add_operations(&mut setup)?;
        Ok(setup)
    }

    /// Creates the workspace of the project that the options name, and runs the second phase of
    /// all plugins.
    pub(crate) fn compose(&self, setup: Setup, options: Options) -> Result<Composed, AppError> {
        let startup = Startup::new(
            self.program.clone(),
            &setup.parts,
            Arc::new(options),
            self.environment.clone(),
        )?;
        let mut gateway = Gateway::builder();
        for make in setup.sources {
            gateway = make(&startup)?.into_iter().fold(gateway, GatewayBuilder::source);
        }
        for rule in setup.rules {
            gateway = rule(gateway, &startup)?;
        }
        let gateway = gateway.build().map_err(LifecycleError::from)?;
        let mut observers = Vec::new();
        for make in setup.observers {
            observers.extend(make(&startup)?);
        }
        let observers = Observers::new(observers);
        let (options, partition) = (&startup.options, startup.config.partition());
        let tools = Tools::new(gateway, self.environment.clone(), options, partition, observers);
        let tools = Arc::new(tools);
        let workspace = Arc::new(Workspace::new(startup, setup.parts, tools));
        let _ = setup.slot.set(workspace.clone());
        let after = AfterSetup {
            commands: setup.commands,
            workspace,
            operations: setup.bound,
            offers: Arc::new(setup.offers),
        };
        for plugin in &*self.plugins {
            plugin.after_setup(&after)?;
        }
        Ok(Composed { after, decorators: setup.decorators })
    }

    /// Binds the operations of the installed plugins, and adds their commands.
    fn add_operations(&self, setup: &mut Setup) -> Result<(), AppError> {
        let is_there = |id: &str| self.plugins.iter().any(|plugin| plugin.id() == id);
        let own =
            OPERATIONS.iter().filter(|(plugins, _)| plugins.iter().any(|plugin| is_there(plugin)));
        let own: Vec<_> =
            own.map(|(plugins, bind)| (is_there(plugins[0]), bind(&setup.slot))).collect();
        // An operation that a server also needs has no command in a program without its command
        // line plugin.
        let without: HashSet<_> =
            own.iter().filter(|(is_there, _)| !is_there).map(|(_, item)| item.spec.name).collect();
        setup.operations.extend(own.into_iter().map(|(_, operation)| operation));
        setup.bound = Operations::new(std::mem::take(&mut setup.operations));
        let commands = OperationCliCommand::all(&setup.bound).into_iter();
        let mut commands =
            commands.filter(|command| !without.contains(command.operation().spec.name));
        commands.try_for_each(|command| setup.commands.add(command))
    }
}

impl ProjectOpener for Composition {
    fn open(
        &self,
        options: Options,
        inherited: Arc<Extensions>,
    ) -> Result<OpenedProject, AppError> {
        let AfterSetup { workspace, operations, offers, .. } =
            self.compose(self.setup(Some(inherited))?, options)?.after;
        Ok(OpenedProject { workspace, operations, offers })
    }
}

/// A composed project.
pub(crate) struct Composed {
    pub(crate) after: AfterSetup,
    pub(crate) decorators: Vec<Arc<dyn Decorator>>,
}
