import { Table } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Empty } from './page.tsx'

export interface Column<Row> {
  name: string
  cell(row: Row): ReactNode
  /** Numbers stand at the right. */
  isNumber?: boolean
}

export interface GridProps<Row> {
  /** What the table holds, for those who cannot see it. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  empty: { title: string; hint?: ReactNode }
}

/** Below so many characters of width for each column a table reads worse than cards, even where it fits. */
const MIN_COLUMN_REM = 6.5

/** A table; where it does not fit, a list of cards. */
export function Grid<Row>({ label, columns, rows, keyOf, empty }: GridProps<Row>) {
  const box = useShape(columns.length)
  if (rows.length === 0) return <Empty title={empty.title}>{empty.hint}</Empty>
  return (
    <div className="grid-box" ref={box}>
      <Table className="grid" aria-label={label} verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, isNumber }) => (
              <Table.Th key={name} className={isNumber ? 'number' : undefined}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }) => (
                <Table.Td key={name} data-label={name} className={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** Measures before anything is painted, and whenever the place is given another width. NOTE the shape stands in the document alone: as a state it would be drawn twice. */
function useShape(columns: number) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!box.current) return
    shape(box.current, columns)
  })
  useLayoutEffect(() => {
    const place = box.current
    if (!place) return
    let width = place.clientWidth
    const observer = new ResizeObserver(() => {
      if (place.clientWidth === width) return
      width = place.clientWidth
      shape(place, columns)
    })
    observer.observe(place)
    return () => observer.disconnect()
  }, [columns])
  return box
}

function shape(box: HTMLElement, columns: number): void {
  box.dataset.shape = 'table'
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const isNarrow = columns > 2 && box.clientWidth < columns * MIN_COLUMN_REM * rem
  if (isNarrow || box.scrollWidth > box.clientWidth) box.dataset.shape = 'cards'
}
