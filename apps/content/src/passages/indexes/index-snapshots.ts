import { inParallel, type Clock } from '@platform-backend/core';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PassageStore } from '../domain/passage-store.ts';
import { ALL_PARTS, PARTS, type Part } from './index-parts.ts';
import { keyOf } from './organisation-index.ts';
import { readSnapshotPart, UNFINISHED } from './snapshot-file.ts';
import { hasOutdated } from './snapshot-fingerprints.ts';
import { versionOf } from './source-version.ts';

export interface IndexSnapshotsOptions {
  readonly directory: string;
  /** Of all of them; those that were written longest ago go first. */
  readonly maxBytes: number;
  readonly passageStore: Pick<PassageStore, 'changes' | 'newest'>;
  readonly clock: Clock;
}

interface SnapshotName {
  readonly organisationId: string;
  readonly part: Part;
}

export interface IndexSnapshots {
  readonly fileOf: (name: SnapshotName) => string;
  /** Removes what should not be there any more, and answers what is. */
  readonly tidy: (stopping?: AbortSignal) => Promise<readonly SnapshotName[]>;
  readonly remove: (organisationId: string) => Promise<void>;
}

/** What was removed is remembered by the store for a day: what has not been compared for half of it is not used, nor kept. */
export const FORGOTTEN_AFTER_MS = 12 * 60 * 60_000;

/**
 * A transaction may be committed so long after its change was noted down: servers keep one open for a minute, and its commit is tried for two
 * more. One more is for what lies between two looks.
 */
export const LATE_COMMIT_MS = 4 * 60_000;

/** Nobody writes one for so long. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/** How many changes are read at a time. */
const ROWS = 1_000;

/** How many are compared with the store at a time, each with what it knows of its passages in memory. */
const COMPARED_AT_ONCE = 4;

const ENDING = '.index';

/** The snapshots of a folder, which several replicas of a machine may have in common: each file is whole or is not there. */
export function indexSnapshots({ directory, maxBytes, passageStore, clock }: IndexSnapshotsOptions): IndexSnapshots {
  const fileOf = ({ organisationId, part }: SnapshotName): string =>
    join(directory, `${organisationId}.${part}${ENDING}`);
  const files = async (): Promise<readonly string[]> => readdir(directory).catch(() => []);
  const ageOf = async (name: string) => {
    const { mtimeMs, size } = await stat(join(directory, name)).catch(() => ({ mtimeMs: 0, size: 0 }));
    return { name, mtimeMs, size };
  };
  const remove = (name: string): Promise<void> => rm(join(directory, name), { force: true });

  /** Whether it is of the organisation that it is called by, and nothing that it has was changed or removed since. */
  const isKept = async (name: SnapshotName): Promise<boolean> => {
    const read = await readSnapshotPart(fileOf(name), 'fingerprints');
    if (read?.header.organisationId !== name.organisationId || read.header.part !== name.part) return false;
    const { position, model } = read.header;
    if (clock.now().getTime() - position > FORGOTTEN_AFTER_MS) return false;
    const kinds = PARTS[name.part];
    const newest = await Promise.all(kinds.map((kind) => passageStore.newest(name.organisationId, kind, 1)));
    // Of a deleted organisation nobody tells what was removed.
    if (newest.every((sources) => sources.length === 0)) return false;
    // What is the same as it was is nothing to it, however often it is looked at.
    const since = new Date(position - LATE_COMMIT_MS);
    let behind;
    do {
      const changes = await passageStore.changes(name.organisationId, kinds, since, ROWS, behind);
      const now = changes.map((one) => [keyOf(one), one.present && versionOf(one.present, model)] as const);
      if (now.length > 0 && hasOutdated(read.part, now)) return false;
      behind = changes.length === ROWS ? changes.at(-1)?.position : undefined;
    } while (behind);
    return true;
  };

  const makeRoom = async (names: readonly string[]): Promise<readonly string[]> => {
    const newestFirst = (await Promise.all(names.map(ageOf))).sort((one, other) => other.mtimeMs - one.mtimeMs);
    let bytes = 0;
    const kept: string[] = [];
    for (const { name, size } of newestFirst) {
      bytes += size;
      if (bytes > maxBytes) await remove(name);
      else kept.push(name);
    }
    return kept;
  };

  return {
    fileOf,

    async tidy(stopping?: AbortSignal) {
      const all = await files();
      for (const { name, mtimeMs } of await Promise.all(all.filter((one) => one.endsWith(UNFINISHED)).map(ageOf)))
        if (clock.now().getTime() - mtimeMs > ABANDONED_AFTER_MS) await remove(name);
      const kept: SnapshotName[] = [];
      await inParallel(
        await makeRoom(all.filter((one) => one.endsWith(ENDING))),
        { atOnce: COMPARED_AT_ONCE, stopping },
        async (name) => {
          const of = nameOf(name);
          if (of && (await isKept(of))) kept.push(of);
          else await remove(name);
        },
      );
      return kept;
    },

    async remove(organisationId) {
      const isOf = (name: string) => ALL_PARTS.some((part) => name.startsWith(`${organisationId}.${part}.`));
      for (const name of await files()) if (isOf(name)) await remove(name);
    },
  };
}

function nameOf(file: string): SnapshotName | undefined {
  const [, organisationId = '', part] = /^(.+)\.(\w+)\.index$/.exec(file) ?? [];
  const known = ALL_PARTS.find((one) => one === part);
  return known && { organisationId, part: known };
}
