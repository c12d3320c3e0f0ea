import { createServer } from 'node:net';

/** @throws Error with one clear sentence when the platform's port cannot be bound. */
export async function expectFreePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${String(error.code)})`;
      reject(new Error(`Port ${port} ${reason}; choose another one with PLATFORM_PORT.`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
