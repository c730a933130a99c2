/** Imported by `src/main.ts` before anything else. */
import { importFromBundles } from '../process/built/bundles.ts'

importFromBundles()
