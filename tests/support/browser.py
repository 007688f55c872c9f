"""A headless Chromium for the checks of pages, through chromedriver's WebDriver protocol. `Browser` tells which addresses were
asked for and what the console said."""
import base64, json, pathlib, shutil, socket, subprocess, time, urllib.error, urllib.request


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, width=1280, height=900, dark=False, scale=1):
        driver = shutil.which("chromedriver")
        if not driver:
            raise SystemExit("no chromedriver; try: apt-get install chromium chromium-driver")
        self.port = free_port()
        self.driver = subprocess.Popen([driver, f"--port={self.port}", "--silent"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update", "--no-first-run"]
        if dark:
            arguments.append("--force-dark-mode")
        options = {"args": arguments, "mobileEmulation": {"deviceMetrics": {
            "width": width, "height": height, "pixelRatio": scale, "mobile": width < 600}}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = None
        for _ in range(200):
            try:
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.05)
        self.session = answer["sessionId"]
        media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.devtools("Emulation.setEmulatedMedia", {"features": media})

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:600]) from None

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def devtools(self, command, parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.do("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """The value that the JavaScript returns."""
        return self.do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, seconds=20):
        """Waits until the JavaScript expression is true; its value, and the seconds that it took."""
        begin = time.monotonic()
        while True:
            value = self.run("return " + script)
            took = time.monotonic() - begin
            if value:
                return value, took
            if took > seconds:
                raise AssertionError(f"not true within {seconds} s: {script}\n{self.messages()}")
            time.sleep(0.02)

    def messages(self):
        """Errors and warnings of the console since the last call."""
        return [entry["message"] for entry in self.do("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that the page asked for since the last call."""
        events = [json.loads(e["message"])["message"] for e in self.do("POST", "/se/log", {"type": "performance"})]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path, whole=True):
        shot = self.devtools("Page.captureScreenshot", {"captureBeyondViewport": whole, **({"clip": self.clip()} if whole else {})})
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def clip(self):
        size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        return {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 6000), "scale": 1}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.do("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
