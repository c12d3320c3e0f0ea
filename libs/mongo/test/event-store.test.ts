import { eventStoreSuite } from '@platform-backend/events/testing';
import { mongoStorage } from './event-store.ts';

eventStoreSuite(mongoStorage);
