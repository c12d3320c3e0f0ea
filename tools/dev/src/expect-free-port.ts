import { createServer } from 'node:net';

/** @throws Error with one clear sentence when the port cannot be bound, and where another one is chosen. */
export async function expectFreePort(port: number, host: string, chosenBy = 'PLATFORM_PORT'): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${String(error.code)})`;
      reject(new Error(`Port ${port} ${reason}; choose another one with ${chosenBy}.`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
