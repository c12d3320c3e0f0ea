import { homePaths, readOwnJson, writePrivately } from './home.ts';

/** What runs where. Kept in run.json, readable by its owner only, while the platform runs. */
export interface RunFile {
  readonly pid: number;
  readonly url: string;
  readonly startedAt: string;
  readonly issuer: string;
  readonly audience: string;
  /** Where the token command asks; absent with an issuer of one's own. */
  readonly tokenEndpoint?: string;
  /** host:port of each service, and where each writes its log. */
  readonly services: Record<
    string,
    { readonly address: string; readonly metricsAddress?: string; readonly log: string }
  >;
  /** Connection texts of the embedded databases, for a look with psql. */
  readonly databases: Record<string, { readonly owner: string; readonly app: string }>;
  /** As the operator, for a look at dead letters. */
  readonly nats: string;
}

export function writeRunFile(home: string, run: RunFile): void {
  writePrivately(homePaths(home).runFile, run);
}

/** Undefined when nothing runs on this home. */
export function readRunFile(home: string): RunFile | undefined {
  return readOwnJson(homePaths(home).runFile) as RunFile | undefined;
}
