import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { programsDirectory } from './programs.ts';
import { runDirectory } from './run-directory.ts';

/** Starts a real API server with Argo's definitions and a node whose containers are processes of this machine. */
const program =
  process.env['KUBERNETES_START'] ?? fileURLToPath(new URL('../../../../shared/bin/kubernetes-start', import.meta.url));

/** Why there can be none here; undefined where there can. */
export const kubernetesLack =
  existsSync(program) && process.getuid?.() === 0
    ? undefined
    : 'there is no kubernetes-start beside the repository, nor in KUBERNETES_START, or no root';

export interface ThrowawayKubernetes {
  /** Holds `kubeconfig` of the administrator and `platform.kubeconfig` of the account that the platform has. */
  readonly directory: string;
  /** Of the API server, on 127.0.0.1. */
  readonly port: number;
  readonly kubeconfig: string;
  /** The program, as the administrator. */
  readonly kubectl: string;
  /** Ends all of it and removes its data. */
  readonly stop: () => Promise<void>;
}

export async function throwawayKubernetes(): Promise<ThrowawayKubernetes> {
  const directory = mkdtempSync(join(runDirectory(), 'kubernetes-'));
  const port = await freePorts(4);
  const server = await startServer(directory, port);
  return {
    directory,
    port,
    kubeconfig: join(directory, 'kubeconfig'),
    kubectl: join(directory, 'kubectl'),
    async stop() {
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
