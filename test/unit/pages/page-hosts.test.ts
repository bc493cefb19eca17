import { createPageHosts, findHubPath, findPublicUrl } from '../../../pages/page-hosts';

const HUB = 'https://hub.example.org/user/ann/proxy/{port}/';

test.each([
  // This machine, and tunnels to it with another port.
  [undefined, '127.0.0.1:8123', 'http://127.0.0.1:8123', true],
  [undefined, 'localhost:9999', 'http://localhost:9999', true],
  [undefined, '[::1]:8123', 'http://[::1]:8123', true],
  [undefined, 'localhost', 'http://localhost', true],
  [undefined, 'localhost:9999', 'http://localhost:8123', false],
  [undefined, 'localhost:8123', 'http://127.0.0.1:8123', false],
  [undefined, 'localhost:8123', 'null', false],
  [undefined, 'localhost:8123', 'https://localhost:8123', false],
  // JupyterHub and code-server pass the browser's host on.
  [HUB, 'hub.example.org', 'https://hub.example.org', true],
  [HUB, 'hub.example.org:443', 'https://hub.example.org', true],
  [HUB, 'hub.example.org', 'https://other.example.org', false],
  // nginx names the host that it asks.
  [HUB, '127.0.0.1:8123', 'https://hub.example.org', true],
  // Codespaces replaces the origin, and sometimes the host.
  ['https://zany-{port}.app.github.dev', 'zany-8123.app.github.dev', 'http://localhost:8123', true],
  ['https://zany-{port}.app.github.dev', 'localhost:8123', 'http://localhost:8123', true],
  ['https://zany-{port}.app.github.dev', 'zany-8123.app.github.dev', 'http://localhost:9999', false],
])(
  'shown at %s, a request to %s from a page of %s is accepted: %s',
  (publicUrl, host, origin, isAccepted) => {
    const hosts = createPageHosts(8123, publicUrl);
    expect(hosts.isHost(host)).toBe(true);
    expect(hosts.isOrigin(origin, host)).toBe(isAccepted);
  },
);

test.each([
  [undefined, 'evil.example:8123'],
  [undefined, 'localhost.evil.example:8123'],
  [undefined, 'localhost:8123.evil.example'],
  [undefined, ''],
  [HUB, 'example.org'],
  [HUB, 'hub.example.org:80'],
  [HUB, 'hub.example.org.evil.example'],
])('shown at %s, the host %s is unknown', (publicUrl, host) => {
  expect(createPageHosts(8123, publicUrl).isHost(host)).toBe(false);
});

test.each([
  [HUB, 'https://hub.example.org/user/ann/proxy/8123/'],
  ['https://code.example.org/proxy/{{port}}', 'https://code.example.org/proxy/8123/'],
  ['http://{port}.dev.example.org', 'http://8123.dev.example.org/'],
  [undefined, 'http://127.0.0.1:8123/'],
])('links to %s begin with %s', (publicUrl, url) => {
  expect(createPageHosts(8123, publicUrl).url.href).toBe(url);
});

test.each([
  [
    { VSCODE_PROXY_URI: 'https://code.example.org/proxy/{{port}}' },
    'https://code.example.org/proxy/{{port}}',
  ],
  [{ VSCODE_PROXY_URI: './proxy/{{port}}' }, undefined],
  [{ VSCODE_PROXY_URI: 'https://{{port}}-{{host}}' }, undefined],
  [
    { CODESPACE_NAME: 'zany', GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: 'app.github.dev' },
    'https://zany-{port}.app.github.dev/',
  ],
  [{ CODESPACE_NAME: 'zany' }, undefined],
  [{}, undefined],
])('%j names the proxy %s', (environment, publicUrl) => {
  expect(findPublicUrl(environment)).toBe(publicUrl);
});

test("JupyterHub's path is known, its host is not", () => {
  expect(findHubPath({ JUPYTERHUB_SERVICE_PREFIX: '/user/ann/' })).toBe('/user/ann/proxy/{port}/');
  expect(findHubPath({})).toBeUndefined();
});
