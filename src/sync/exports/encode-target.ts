import type { Category, Entity } from '../../model/catalogue.ts'
import type { ExportFormat } from '../../store/exports/exports.ts'

/** Kind of record and format of a file. */
export interface EncodeTarget {
  category: Category
  entity: Entity
  format: ExportFormat
}

/** Documents of one company, each on a line of its own, behind `idBytes` bytes of its id. */
export interface EncodeSegment {
  companyId: string
  records: number
  idBytes: number
  lines: Uint8Array<ArrayBuffer>
}

/** Thrown when a number has more digits than the format can hold. */
export class NotEncodable extends Error {
  override readonly name = 'NotEncodable'
}
