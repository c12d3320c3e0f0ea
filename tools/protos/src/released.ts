import {
  describeFile,
  descriptorFiles,
  filesOfDomain,
  protoFiles,
  protosDirectory,
  SHARED_EVENT_FILES,
} from '@platform-backend/contract';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buf } from './buf.ts';
import { domains } from './domain-package.ts';
import { pathArguments } from './generated-files.ts';
import { rootOfImage } from './image-root.ts';
import { narrowedSince } from './narrowed.ts';

/** What has been promised to clients, each by itself: the contract of a domain, and what all of them share. */
export interface Promised {
  readonly name: string;
  /** Relative to `protos/`. */
  readonly files: readonly string[];
  /** The image of the promise; `npm run protos:release` renews it. */
  readonly image: string;
}

export const promises = (): Promised[] => [
  {
    name: 'shared',
    files: [...protoFiles(protosDirectory, 'options'), ...SHARED_EVENT_FILES],
    image: path.join(protosDirectory, 'released.binpb'),
  },
  ...domains().map((name) => ({
    name,
    files: filesOfDomain(name),
    image: path.join(protosDirectory, 'platform', name, 'released.binpb'),
  })),
];

/** What in these protos breaks a promise: messages and rpcs as buf sees it, and our options. Empty when nothing does. */
export function brokenPromises(protos: string = protosDirectory, some: readonly Promised[] = promises()): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'protos-'));
  try {
    // Compiled once for all promises; with the lines where things stand, which buf names.
    const built = path.join(folder, 'image.binpb');
    buf('build', protos, '--output', built);
    const current = rootOfImage(readFileSync(built));
    // A domain that was never released has promised nothing yet.
    return some
      .filter(({ image }) => existsSync(image))
      .flatMap(({ name, image }) => [
        ...bufBreaking(built, path.join(protos, 'buf.yaml'), image),
        ...narrowedSince(rootOfImage(readFileSync(image)), current, name),
      ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bufBreaking(built: string, rules: string, image: string): string[] {
  try {
    return buf('breaking', built, '--config', rules, '--against', image).split('\n').filter(Boolean);
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Makes the protos as they are the promise. One whose own files are what was promised stays as it is, even where what it
 * imports has grown, so that a domain's release is a change of that domain.
 */
export function release(promised: Promised, protos: string = protosDirectory): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'protos-'));
  try {
    const image = path.join(folder, 'image.binpb');
    buf('build', protos, ...pathArguments(promised.files, protos), '--exclude-source-info', '--output', image);
    if (!isPromised(promised, image)) copyFileSync(image, promised.image);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isPromised({ files, image }: Promised, built: string): boolean {
  if (!existsSync(image)) return false;
  const own = (from: string): Buffer[] =>
    descriptorFiles(readFileSync(from))
      .filter((file) => files.includes(describeFile(file).name))
      .map((file) => Buffer.from(file));
  const [were, are] = [own(image), own(built)];
  return were.length === are.length && Buffer.concat(were).equals(Buffer.concat(are));
}
