import type { Category, Entity } from '../../model/catalogue.ts'

/** Record within a place: the last one that was read. */
export interface RecordMark {
  entity: Entity
  /** Valid since, as text of the database; `-infinity` where records come by id alone. */
  from: string
  id: string
}

export interface ChangedRecord extends RecordMark {
  position: string
  /** Null in the list of everything. */
  placeId: string | null
  companyId: string
  serviceId: string
  connectionId: string
  category: Category
  deleted: boolean
  publishedAt: Date
  /** Finished JSON text. */
  doc: string
}
