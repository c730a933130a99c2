import { cutPage } from './cut-page.ts'
import { Grid, type GridProps } from './grid.tsx'
import { Pager, usePageNumber } from './pager.tsx'

const PAGE_SIZE = 50

/** A table of rows that are there as a whole, page by page where there are many; which page stands in the address under the name of `page`. */
export function PagedGrid<Row>({ page: name, rows, ...grid }: GridProps<Row> & { page: string }) {
  const [pageNumber, turn] = usePageNumber(name)
  const page = cutPage(rows, Number(pageNumber ?? 1), PAGE_SIZE)
  return (
    <>
      <Grid {...grid} rows={page.data} />
      {page.total > PAGE_SIZE && <Pager page={page} onTurn={turn} />}
    </>
  )
}
