/**
 * The health check of every image: the gateway is asked over HTTP whether it is ready, any other
 * app by the standard gRPC health protocol. Exits with 0 when it is, with 1 when it is not.
 */
import { Client, credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';

/** Shorter than the image's own limit, so that this process says why. */
const LIMIT_MS = 2_500;

/** grpc.health.v1.HealthCheckResponse{status: SERVING}: field 1, varint 1. */
const SERVING = Buffer.from([0x08, 0x01]);

const gatewayIsReady = async (port: string): Promise<boolean> => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(LIMIT_MS) });
  return answer.ok;
};

/** The service's own certificate opens its own door. It is not checked: over loopback nobody else answers. */
const credentialsOf = (environment: NodeJS.ProcessEnv): ChannelCredentials => {
  const { GRPC_TLS_CERTIFICATE: certificate, GRPC_TLS_KEY: key } = environment;
  if (!certificate || !key) return credentials.createInsecure();
  return credentials.createSsl(null, readFileSync(key), readFileSync(certificate), { rejectUnauthorized: false });
};

const serviceIsServing = (listen: string, channel: ChannelCredentials): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const port = listen.slice(listen.lastIndexOf(':') + 1);
    const client = new Client(`127.0.0.1:${port}`, channel, {
      // Node wants a name where certificates are spoken of, and not an address.
      'grpc.ssl_target_name_override': 'localhost',
    });
    const asBytes = (bytes: Buffer) => bytes;
    // An empty HealthCheckRequest asks about the server as a whole.
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      asBytes,
      asBytes,
      Buffer.alloc(0),
      { deadline: Date.now() + LIMIT_MS },
      (error, answer) => {
        client.close();
        if (error) reject(error);
        else resolve(answer !== undefined && SERVING.equals(answer));
      },
    );
  });

const isHealthy = (environment: NodeJS.ProcessEnv): Promise<boolean> => {
  const app = environment['APP'] ?? '';
  if (app === 'gateway') return gatewayIsReady(environment['PLATFORM_PORT'] ?? '8080');
  const listen = environment[`${app.toUpperCase()}_LISTEN`];
  if (listen === undefined) throw new Error(`${app.toUpperCase()}_LISTEN is not set`);
  return serviceIsServing(listen, credentialsOf(environment));
};

try {
  process.exitCode = (await isHealthy(process.env)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
