/**
 * Begins the program where it is one file, with what V8 has compiled of it. The first process leaves that at its end,
 * with all functions that were called in it; Node's own cache of compiled code has those alone that are compiled before anything is called.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { programFiles } from '../domain/program-files.ts';

const folder = dirname(process.argv[1] ?? '');
const [program, compiled] = [join(folder, programFiles.program), join(folder, programFiles.compiled)];
const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined;
const script = new Script(readFileSync(program, 'latin1'), {
  filename: program,
  ...(cachedData && { cachedData }),
});
if (!cachedData) process.on('exit', () => writeFileSync(compiled, script.createCachedData()));
(script.runInThisContext() as (load: NodeJS.Require) => void)(require);
