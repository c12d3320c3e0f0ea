import { CoreV1Api, CustomObjectsApi, KubeConfig } from '@kubernetes/client-node';
import { programsDirectory, runDirectory } from '@platform-backend/testing';
import type { Lack } from '@platform-backend/testing/where';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const repository = join(import.meta.dirname, '../../../../..');

/** Starts a real API server with Argo's definitions and a node. */
const program = process.env['KUBERNETES_START'] ?? join(repository, '../shared/bin/kubernetes-start');

export const noKubernetes: Lack =
  existsSync(program) && process.getuid?.() === 0
    ? undefined
    : 'there is no kubernetes-start beside the repository, nor in KUBERNETES_START, or no root';

export const NAMESPACE = 'argo';

export type KubernetesUnderTest = Awaited<ReturnType<typeof startKubernetes>>;

export async function startKubernetes() {
  const directory = mkdtempSync(join(runDirectory(), 'kubernetes-'));
  const port = await freePorts(4);
  const server = await startServer(directory, port);
  const config = new KubeConfig();
  config.loadFromFile(join(directory, 'kubeconfig'));
  const proxy = await startProxy(port);
  // As the platform reaches it: with its own account, over a connection that can be cut.
  const kubeconfig = join(directory, 'proxied.kubeconfig');
  const own = readFileSync(join(directory, 'platform.kubeconfig'), 'utf8');
  writeFileSync(kubeconfig, own.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`), { mode: 0o600 });
  return {
    kubeconfig,
    kubectl: join(directory, 'kubectl'),
    core: config.makeApiClient(CoreV1Api),
    objects: config.makeApiClient(CustomObjectsApi),
    proxy,
    async stop() {
      await proxy.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What had begun is kept in the folder, so that a start that took too long is begun again from there. */
async function startServer(directory: string, port: number, tries = 3): Promise<{ stop: () => Promise<void> }> {
  const child = spawn(program, [directory, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KUBERNETES_PACK_CACHE: join(programsDirectory(), 'kubernetes') },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-1000)));
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('KUBECONFIG=')) continue;
    child.stdout.resume();
    return {
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  await ended;
  if (tries === 1) throw new Error(`Kubernetes ended before it was ready: ${said}`);
  return startServer(directory, port, tries - 1);
}

/** The first of so many ports in a row of which none is taken. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 12_000);
    const taken = await Promise.all(Array.from({ length: count }, (_, index) => isTaken(first + index)));
    if (!taken.includes(true)) return first;
  }
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(true)).listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
  return promise;
}

/** Between a client and the API server, so that the server can go away without ending. */
async function startProxy(target: number) {
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((socket) => {
    if (isDown) {
      socket.destroy();
      return;
    }
    const other = connect(target, '127.0.0.1');
    for (const [one, partner] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          partner.destroy();
        });
      one.pipe(partner);
    }
  });
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    goAway() {
      isDown = true;
      cut();
    },
    comeBack() {
      isDown = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
