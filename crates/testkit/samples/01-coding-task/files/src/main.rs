use clap::{Parser, Subcommand};
use std::path::PathBuf;

mod amount;
mod config;
mod event;
mod http;
mod provider;
mod queue;
mod relay;
mod signature;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Accepts webhooks and delivers them.
    Serve {
        #[arg(long, default_value = "config/courier.toml")]
        config: PathBuf,
    },
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt::init();
    match Cli::parse().command {
        Command::Serve { config } => {
            let config = config::Config::load(&config)?;
            let queue = queue::Queue::open(&config.store.path).await?;
            let worker = relay::Worker::new(config.clone(), queue.clone());
            tokio::try_join!(http::serve(&config, queue), worker.run())?;
        }
    }
    Ok(())
}
