import { Grid, type GridProps } from './grid.tsx'
import { Pager, usePageNumber } from './pager.tsx'
import { paginate } from './paginate.ts'

const PAGE_SIZE = 50

/** Table with client-side paging; the page number is in the address, in the parameter `page`. */
export function PagedGrid<Row>({ page: name, rows, ...grid }: GridProps<Row> & { page: string }) {
  const [pageNumber, turn] = usePageNumber(name)
  const page = paginate(rows, Number(pageNumber ?? 1), PAGE_SIZE)
  return (
    <>
      <Grid {...grid} rows={page.data} />
      {page.total > PAGE_SIZE && <Pager page={page} onTurn={turn} />}
    </>
  )
}
