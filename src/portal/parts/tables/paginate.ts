import type { Page } from '../../api/client.ts'

/** One page of an array; the last one if the wanted page is beyond it. */
export function paginate<Item>(all: readonly Item[], wanted: number, pageSize: number): Page<Item> {
  const pageNumber = Math.min(Math.max(1, Math.trunc(wanted) || 1), Math.max(1, Math.ceil(all.length / pageSize)))
  return { pageNumber, pageSize, total: all.length, data: all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize) }
}
