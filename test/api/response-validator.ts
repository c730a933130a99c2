import type { ValidateFunction } from 'ajv/dist/2020.js'
import { type ApiDocument, findAnswer, schemaValidator } from '../harness/test-answers.ts'

export interface Answer {
  statusCode: number
  headers: Record<string, unknown>
  payload: string
}

/** Holds many answers against the OpenAPI document, by a validator that none of us wrote. */
export class ResponseValidator {
  readonly #document: ApiDocument
  readonly #validators = new Map<string, ValidateFunction>()
  /** Ids of the operations that gave an answer of success. */
  readonly succeeded = new Set<string>()

  constructor(document: ApiDocument) {
    this.#document = document
  }

  /** What is wrong with an answer, or null. */
  fault(operationId: string, answer: Answer): string | null {
    const { statusCode } = answer
    if (statusCode >= 200 && statusCode < 300) this.succeeded.add(operationId)
    // The conditional answer of RFC 9110, which any read may give.
    if (statusCode === 304) return answer.payload === '' ? null : 'a 304 with a body'
    const found = findAnswer(this.#document, operationId, answer)
    if (typeof found === 'string') return `${found}: ${answer.payload.slice(0, 200)}`
    if (found === null) return null
    const validate = this.#validator(`${operationId} ${statusCode}`, found)
    if (validate(JSON.parse(answer.payload))) return null
    return `${operationId} ${statusCode}: ${JSON.stringify(validate.errors?.[0])}`
  }

  #validator(name: string, schema: object): ValidateFunction {
    const known = this.#validators.get(name)
    if (known) return known
    const validator = schemaValidator().compile({ ...schema, components: this.#document.components })
    this.#validators.set(name, validator)
    return validator
  }
}
