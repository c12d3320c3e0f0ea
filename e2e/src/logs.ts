import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlatformFacts } from './platform.ts';

/** What a line of a log says of a call, of an event that was published, or of one that was handled. */
export type LogLine = { level: string; requestId?: string; method?: string; type?: string };

/** The lines in the logs of a service that have the id of a request, as `grep` finds them. */
export const linesAbout = ({ home }: Pick<PlatformFacts, 'home'>, service: string, requestId: string): LogLine[] =>
  readdirSync(join(home, 'logs'))
    .filter((file) => file.startsWith(service))
    .flatMap((file) => readFileSync(join(home, 'logs', file), 'utf8').split('\n'))
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as LogLine);
