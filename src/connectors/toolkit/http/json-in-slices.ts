import { setImmediate } from 'node:timers/promises'
import { getManyValues, type Many, none } from 'stream-chain/defs.js'
import { Assembler } from 'stream-json/core/assembler.js'
import { jsonParser, type Token } from 'stream-json/core/parser.js'
import { isLongNumber, type Json } from '../../../model/values/json.ts'

/** A slice takes less than a millisecond. */
const SLICE_BYTES = 64 * 1024
/** No source nests lists and objects more deeply, and a body of brackets would take a hundred times its size. */
const MAX_DEPTH = 1_000

/** NOTE the library's type leaves out `none`, which ends the text. */
type Tokenizer = (text: string | typeof none) => Many<Token> | typeof none

/**
 * Streaming JSON parser: the value that `parseJson` returns for the decoded bytes, with a return to the event loop
 * after every slice. Takes twice as long. Throws `SyntaxError`, also for a value with more than 1,000 levels.
 */
export async function parseJsonInSlices(bytes: Uint8Array, sliceBytes = SLICE_BYTES): Promise<Json> {
  const decoder = new TextDecoder()
  const parse = jsonParser({ packValues: true, streamValues: false }) as Tokenizer
  const assembler = new Assembler<Json>()
  const read = (text: string | typeof none): void => {
    for (const token of toTokens(parse, text)) {
      if (assembler.depth > MAX_DEPTH) throw new SyntaxError('the value has too many levels')
      assembler.consume(toExact(token))
    }
  }
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    read(decoder.decode(bytes.subarray(at, at + sliceBytes), { stream: true }))
    await setImmediate()
  }
  read(decoder.decode())
  read(none)
  return assembler.current
}

function toTokens(parse: Tokenizer, text: string | typeof none): Token[] {
  try {
    const tokens = parse(text)
    return tokens === none ? [] : getManyValues(tokens)
  } catch (error) {
    throw new SyntaxError('the text is no JSON', { cause: error })
  }
}

/** Token of a value as `parseJson` returns it: long numbers as text, texts without NUL. */
function toExact(token: Token): Token {
  if (token.name === 'numberValue' && isLongNumber(token.value)) return { name: 'stringValue', value: token.value }
  if (token.name === 'stringValue' && token.value.includes('\0')) return { name: 'stringValue', value: token.value.replaceAll('\0', '') }
  return token
}
