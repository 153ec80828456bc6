// The web page's entry point.
import { render } from "preact";

const root = document.getElementById("app");
if (root) render(<p>Mailkeep</p>, root);
