import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, succeeding } from './compose-project.ts';

/** In MB beside the base, with a tenth to grow: what is heavier has something in it that no service loads, or a reason to be written here. */
const MAX_MEGABYTES: Readonly<Record<string, number>> = {
  identity: 25,
  gateway: 30,
  billing: 45,
  notebooks: 55,
  // 31 MB are the weights of the encoder.
  content: 120,
  // 71 MB are DuckDB, of which there is one build.
  pipelines: 130,
};

/** In MB, without the base that all have in common. */
export async function imageSizes(apps: readonly string[]): Promise<Record<string, number>> {
  const sizeOf = async (image: string) =>
    Number(await succeeding('docker', ['image', 'inspect', '--format', '{{.Size}}', image]));
  const [, base = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')) ?? [];
  const ofBase = await sizeOf(base);
  const sizes = await Promise.all(
    apps.map(async (app) => [app, Math.round(((await sizeOf(`platform-${app}`)) - ofBase) / 1e6)] as const),
  );
  return Object.fromEntries(sizes);
}

/** One sentence for each image that is too large. */
export function tooLarge(sizes: Readonly<Record<string, number>>): string[] {
  return Object.entries(sizes).flatMap(([app, megabytes]) => {
    const max = MAX_MEGABYTES[app];
    if (max === undefined) return [`Nobody has said how large the image of ${app} may be.`];
    return megabytes > max ? [`The image of ${app} has ${String(megabytes)} MB where ${String(max)} are enough.`] : [];
  });
}
