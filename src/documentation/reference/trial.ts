import { exampleOfBody } from './examples.ts'
import type { Call } from './samples.ts'

/** What the page’s script needs to send a request. */
export interface Trial {
  id: string
  method: string
  path: string
  fields: { name: string; in: string; required: boolean }[]
  /** JSON to begin with; null where nothing is sent. */
  body: string | null
}

export function trialOf({ path, method, operation }: Call): Trial {
  const media = operation.requestBody?.content['application/json']
  const fields = (operation.parameters ?? []).map(({ name, in: place, required = false }) => ({ name, in: place, required }))
  return {
    id: operation.operationId,
    method,
    path,
    fields,
    body: media ? JSON.stringify(exampleOfBody(media), null, 2) : null,
  }
}
