import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'
import type { Visit } from './visitor.ts'

/** More at a time is refused; the owner can come with a new link. */
export const MOST_FILES = 20

export interface UploadedFile {
  name: string
  bytes: Uint8Array
}

type Admit = (form: string) => Promise<{ visit: Visit; maxBytes: number }>

export type Upload = { visit: Visit; files: UploadedFile[]; refusal: null | 'tooLarge' | 'tooMany' }

/**
 * Reads an upload to its end, so that the browser gets to see the answer. The form's token must come before the first file, so that nothing of a stranger is kept in memory; `maxBytes`, asked
 * once the link is known, counts all files together.
 */
export async function readUpload(request: FastifyRequest, admit: Admit): Promise<Upload> {
  try {
    return await readParts(request, admit)
  } catch (error) {
    throw isMultipartFault(error) ? new Problem('unreadable', { cause: error }) : error
  } finally {
    // NOTE: what is left unread would stay in the pipe, and a browser that cannot finish sending shows no answer.
    request.raw.unpipe()
    request.raw.resume()
  }
}

async function readParts(request: FastifyRequest, admit: Admit): Promise<Upload> {
  let admitted: Awaited<ReturnType<typeof admit>> | null = null
  let total = 0
  const files: UploadedFile[] = []
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (part.fieldname === 'form' && typeof part.value === 'string') admitted = await admit(part.value)
      continue
    }
    if (!admitted) throw new Problem('forged')
    const bytes = await readPart(part, admitted.maxBytes - total)
    if (bytes === 'tooLarge') return { visit: admitted.visit, files: [], refusal: 'tooLarge' }
    total += bytes.length
    if (part.filename !== '' || bytes.length > 0) files.push({ name: part.filename, bytes })
    if (files.length > MOST_FILES) return { visit: admitted.visit, files: [], refusal: 'tooMany' }
  }
  if (!admitted) throw new Problem('forged')
  return { visit: admitted.visit, files, refusal: null }
}

async function readPart(part: MultipartFile, maxBytes: number): Promise<Uint8Array | 'tooLarge'> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of part.file) {
    size += chunk.length
    if (size > maxBytes) return 'tooLarge'
    chunks.push(chunk)
  }
  return part.file.truncated ? 'tooLarge' : Buffer.concat(chunks)
}

/** What the parser says of a body that is cut off or has no boundaries; it gives its errors no code. */
function isMultipartFault(error: unknown): boolean {
  return error instanceof Error && /^Multipart: |unexpected end of multipart data$/i.test(error.message)
}
