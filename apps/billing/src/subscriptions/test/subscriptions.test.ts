import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { changesSuite } from './changes-suite.ts';
import { previewsSuite } from './previews-suite.ts';
import { renewalsSuite } from './renewals-suite.ts';
import { retireSubscribers, startSubscribers, stopSubscribers } from './subscribers.ts';
import { testClocksSuite } from './test-clocks-suite.ts';

beforeAll(startSubscribers);
afterEach(retireSubscribers);
afterAll(stopSubscribers);

// In this order: they share a clock, which goes on.
changesSuite();
renewalsSuite();
previewsSuite();
testClocksSuite();
