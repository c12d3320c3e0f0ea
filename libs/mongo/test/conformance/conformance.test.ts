import { compatibleEngine, embedded, realEngine } from '../engines.ts';
import { conformanceSuite } from './conformance-suite.ts';

const others = [realEngine(), compatibleEngine()].filter((engine) => engine !== undefined);
if (others.length === 0) process.stderr.write('the conformance suite runs on the embedded server alone\n');

for (const engine of [embedded, ...others]) conformanceSuite(engine);
