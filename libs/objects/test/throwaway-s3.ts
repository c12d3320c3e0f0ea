import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort, supervise } from '@platform-backend/embedded';
import { hasSharedPrograms, runDirectory, sharedProgram } from '@platform-backend/testing';
import type { Lack } from '@platform-backend/testing/where';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

export interface ThrowawayS3 {
  readonly bucket: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly stop: () => Promise<void>;
}

export const noS3: Lack = hasSharedPrograms ? undefined : 'there is no S3 server beside the repository';

/** A real S3 server with an empty bucket; it takes its data along when it stops. */
export async function throwawayS3(): Promise<ThrowawayS3> {
  const command = sharedProgram('versitygw');
  const [directory, port] = [mkdtempSync(join(runDirectory(), 's3-')), await freePort()];
  const access = { accessKeyId: 'test', secretAccessKey: 'testtest' };
  const server = await supervise({
    name: 'versitygw',
    command,
    args: ['--port', `127.0.0.1:${port}`, 'posix', directory],
    env: { ROOT_ACCESS_KEY: access.accessKeyId, ROOT_SECRET_KEY: access.secretAccessKey },
    logFile: `${directory}.log`,
    stopSignal: 'SIGTERM',
    removeAfterExit: directory,
    keepsUsAlive: false,
    ready: (line) => line.includes(String(port)) || undefined,
  });
  const [bucket, endpoint] = ['objects', `http://127.0.0.1:${port}`];
  const client = new S3Client({ region: 'us-east-1', endpoint, credentials: access, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    bucket,
    endpoint,
    ...access,
    async stop() {
      await server.stop();
    },
  };
}
