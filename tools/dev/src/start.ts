/**
 * `npm start`: everything the platform needs on this machine, in one terminal. `npm run dev` is the
 * same with `--watch`.
 */
import { parseArgs } from 'node:util';
import { readSettings } from './settings.ts';
import { runStarter } from './starter.ts';

const { values } = parseArgs({ options: { watch: { type: 'boolean', default: false } } });

process.exit(await runStarter({ settings: () => readSettings(process.env), env: process.env, watch: values.watch }));
