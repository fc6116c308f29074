import { mount } from "svelte";
import Window from "./Window.svelte";
import { chooseHost } from "./host";
import { App } from "./lib/state/app.svelte";
import "./styles/base.css";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
const app = new App(await chooseHost(), window);
mount(Window, { target, props: { app } });
