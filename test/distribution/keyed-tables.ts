import { parse } from 'libpg-query'
import { listOf, nodeOf, nodesOf, type Tree, treeOf } from './sql-tree.ts'
import type { DistributionKeys } from './tables.ts'

/** Reference of a statement to a table. */
export interface TableUse {
  table: string
  /** Name under which the statement knows it. */
  alias: string
  /** Whether the distribution key is compared with a parameter or a constant, or inserted as one, where it is used. */
  isKeyed: boolean
}

/** Every use of a table in a statement, as PostgreSQL's own parser reads it; `keys` are the distribution keys by table. */
export async function tableUses(sql: string, keys: DistributionKeys): Promise<TableUse[]> {
  const tree = await parse(sql)
  const named = new Set(nodesOf(tree, 'CommonTableExpr').map(({ ctename }) => ctename))
  const uses = [...nodesOf(tree, 'SelectStmt').flatMap(ofSelect), ...WRITES.flatMap((kind) => nodesOf(tree, kind).flatMap(ofChange))]
  return [...uses, ...nodesOf(tree, 'InsertStmt').map(ofInsert)].filter(({ table }) => !named.has(table))

  function ofSelect(select: Tree): TableUse[] {
    return usesOf(listOf(select.fromClause), conjunctsOf(select.whereClause))
  }

  function ofChange(change: Tree): TableUse[] {
    const others = [...listOf(change.fromClause), ...listOf(change.usingClause)]
    return usesOf([{ RangeVar: change.relation }, ...others], conjunctsOf(change.whereClause))
  }

  function ofInsert(insert: Tree): TableUse {
    const [table, alias] = namesOf(treeOf(insert.relation))
    const at = listOf(insert.cols).findIndex((column) => nodeOf(column, 'ResTarget')?.name === keys[table])
    const source = nodeOf(insert.selectStmt, 'SelectStmt')
    const rows = listOf(source?.valuesLists).map((row) => listOf(nodeOf(row, 'List')?.items))
    const selected = listOf(source?.targetList).map((target) => nodeOf(target, 'ResTarget')?.val)
    const values = (rows.length > 0 ? rows : [selected]).map((row) => row[at])
    return { table, alias, isKeyed: at >= 0 && values.every((value) => isFixed(value) || isKey(columnOf(value), source)) }
  }

  /** Whether a column is the key of a table that the rest of the statement compares with a parameter. */
  function isKey(column: string, source: unknown): boolean {
    const name = column.split('.').at(-1) ?? ''
    const uses = nodesOf([{ SelectStmt: source }], 'SelectStmt').flatMap(ofSelect)
    return Object.values(keys).includes(name) && uses.every(({ table, isKeyed }) => isKeyed || named.has(table))
  }

  function usesOf(from: readonly unknown[], where: readonly unknown[]): TableUse[] {
    const items = from.flatMap(flatten)
    const conditions = [...where, ...items.flatMap((item) => conjunctsOf(nodeOf(item, 'JoinExpr')?.quals))]
    const tables = items.map((item) => nodeOf(item, 'RangeVar')).filter((range) => range !== undefined)
    const isAlone = items.length === 1
    return tables.map((range) => {
      const [table, alias] = namesOf(range)
      const key = keys[table]
      return {
        table,
        alias,
        isKeyed: key !== undefined && conditions.some((one) => fixes(one, isAlone ? [key, `${alias}.${key}`] : [`${alias}.${key}`])),
      }
    })
  }
}

const WRITES = ['UpdateStmt', 'DeleteStmt']

/** Items of a FROM clause, with the joins between them. */
function flatten(item: unknown): unknown[] {
  const join = nodeOf(item, 'JoinExpr')
  return join ? [item, ...flatten(join.larg), ...flatten(join.rarg)] : [item]
}

function namesOf(range: Tree): [table: string, alias: string] {
  const table = String(range.relname)
  return [table, String(treeOf(range.alias).aliasname ?? table)]
}

/** The parts of a condition that must all hold. */
function conjunctsOf(condition: unknown): unknown[] {
  const both = nodeOf(condition, 'BoolExpr')
  if (both?.boolop === 'AND_EXPR') return listOf(both.args).flatMap(conjunctsOf)
  // `rows_lack_company() or …` (src/store/db/row-companies/of-company.ts): false, once rows are distributed.
  const [first, ...others] = both?.boolop === 'OR_EXPR' ? listOf(both.args) : []
  if (nameOfCall(first) === 'rows_lack_company') return others.length === 1 ? others.flatMap(conjunctsOf) : []
  return condition === undefined ? [] : [condition]
}

function nameOfCall(expression: unknown): string | undefined {
  const [name] = listOf(nodeOf(expression, 'FuncCall')?.funcname)
  return name === undefined ? undefined : String(nodeOf(name, 'String')?.sval)
}

/** Whether a condition is the equality of one of these columns with a parameter or a constant. */
function fixes(condition: unknown, columns: readonly string[]): boolean {
  const { kind, name, lexpr, rexpr } = nodeOf(condition, 'A_Expr') ?? {}
  if (kind !== 'AEXPR_OP' || nodeOf(listOf(name)[0], 'String')?.sval !== '=') return false
  return [
    [lexpr, rexpr],
    [rexpr, lexpr],
  ].some(([column, value]) => columns.includes(columnOf(column)) && isFixed(value))
}

function columnOf(expression: unknown): string {
  const fields = listOf(nodeOf(expression, 'ColumnRef')?.fields)
  return fields.map((field) => String(nodeOf(field, 'String')?.sval)).join('.')
}

function isFixed(value: unknown): boolean {
  const cast = nodeOf(value, 'TypeCast')
  return cast ? isFixed(cast.arg) : nodeOf(value, 'ParamRef') !== undefined || nodeOf(value, 'A_Const') !== undefined
}
