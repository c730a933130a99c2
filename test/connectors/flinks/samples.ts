import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The example of docs.flinks.com, kept outside the repository. */
export const SAMPLE_FILE = fileURLToPath(
  new URL('../../../../shared/samples/banking/flinks/docs_institutions_response.json', import.meta.url),
)
export const HAS_SAMPLES = existsSync(SAMPLE_FILE)
