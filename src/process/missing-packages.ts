import { hasCode } from '../model/error-code.ts'

/** Rethrows the error of a sandbox module that could not be loaded; if it is missing, with the remedy as text. */
export function explainMissingSandbox(error: unknown): never {
  if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
  throw new Error('the sandbox needs the simulators and the development packages: npm ci installs them; or set ENVIRONMENT=production', {
    cause: error,
  })
}
