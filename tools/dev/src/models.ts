/** `npm run models`, which may be the first command in a fresh copy. */
import '@platform-backend/models';
