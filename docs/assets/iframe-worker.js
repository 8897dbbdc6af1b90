// A page that is opened as a file may start no Worker, and the search runs in one. A hidden frame takes its place.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.body.appendChild(document.createElement("iframe"));
      this.frame.hidden = true;
      this.frame.title = "Search";
      const inside = this.frame.contentWindow;
      this.ready = new Promise((resolve) => {
        const page = inside.document;
        page.open();
        page.write("<!doctype html><body></body>");
        page.close();
        inside.postMessage = (data) => this.receive(data);
        inside.importScripts = (...urls) => load(page, urls);
        load(page, [url]).then(resolve);
      });
    }
    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data: structuredClone(data) })));
    }
    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }
    terminate() {
      this.frame.remove();
    }
  };

  const load = async (page, urls) => {
    for (const url of urls) {
      await new Promise((resolve, reject) => {
        const script = page.createElement("script");
        script.onload = resolve;
        script.onerror = reject;
        script.src = url;
        page.body.append(script);
      });
    }
  };
}
