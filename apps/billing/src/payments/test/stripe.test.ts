import { afterAll, beforeAll } from '@jest/globals';
import { anonymousSetupsSuite } from './anonymous-setups-suite.ts';
import { payingSuite } from './paying-suite.ts';
import { paymentMethodsSuite } from './payment-methods-suite.ts';
import { refundsSuite } from './refunds-suite.ts';
import { reportsSuite } from './reports-suite.ts';
import { startStripeUnderTest, stopStripeUnderTest } from './stripe-under-test.ts';

beforeAll(startStripeUnderTest);
afterAll(stopStripeUnderTest);

paymentMethodsSuite();
anonymousSetupsSuite();
payingSuite();
reportsSuite();
refundsSuite();
