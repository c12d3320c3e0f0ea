import { leaveOut } from '@platform-backend/testing/where';
import { compatibleEngine, embedded, realEngine } from '../engines.ts';
import { conformanceSuite } from './conformance-suite.ts';

const others = [realEngine(), compatibleEngine()].filter((engine) => engine !== undefined);
if (others.length === 0) leaveOut('there is no other MongoDB: the conformance suite runs on the embedded one alone');

for (const engine of [embedded, ...others]) conformanceSuite(engine);
