import { parse } from 'libpg-query'
import { DISTRIBUTED_TABLES } from '../../src/store/db/cluster/distributed-tables.ts'
import { listOf, nodeOf, nodesOf, type Tree, treeOf } from './sql-tree.ts'

/** Last migration before the first start on Citus distributed anything: none up to it ever changes a distributed table. */
export const BEFORE_CITUS = '087-account-words.sql'

const KEY = 'company_id'

/**
 * What a cluster whose tables are distributed cannot do of a migration, one sentence each. A form of statement that names a
 * distributed table and was never tried there counts as one that it cannot do.
 */
export async function findClusterFaults(sql: string): Promise<string[]> {
  const { stmts } = treeOf(await parse(sql))
  return listOf(stmts).flatMap((one) => faultsOf(treeOf(treeOf(one).stmt)))
}

function faultsOf(statement: Tree): string[] {
  const named = DISTRIBUTED_TABLES.filter((table) => isNamed(statement, table))
  const created = nodeOf(statement, 'CreateStmt')
  if (created && !isDistributed(created.relation)) return nodesOf(created.tableElts, 'Constraint').flatMap(foreignKeyFaults('this table'))
  const changed = nodeOf(statement, 'AlterTableStmt')
  if (changed) {
    const table = nameOf(changed.relation)
    const commands = listOf(changed.cmds).map((command) => nodeOf(command, 'AlterTableCmd') ?? {})
    if (isDistributed(changed.relation))
      return [...qualified(changed.relation), ...commands.flatMap((command) => commandFaults(table, command))]
    return nodesOf(commands, 'Constraint').flatMap(foreignKeyFaults(table))
  }
  if (named.length === 0) return []
  const index = nodeOf(statement, 'IndexStmt')
  if (index) return [...qualified(index.relation), ...indexFaults(index)]
  const comment = nodeOf(statement, 'CommentStmt')
  if (comment && ['OBJECT_TABLE', 'OBJECT_COLUMN'].includes(String(comment.objtype))) return []
  if (nodeOf(statement, 'VacuumStmt')) return []
  const [kind = ''] = Object.keys(statement)
  return [`${REASONS[kind] ?? `this kind of statement (${kind}) was never tried on a distributed table`}: ${named.join(', ')}`]
}

const REASONS: Readonly<Record<string, string>> = {
  CreateTrigStmt:
    'Citus refuses triggers on distributed tables; the transaction does what they would (src/store/db/cluster/without-triggers.ts)',
  CreatePolicyStmt: 'distributed tables have a policy of their own (src/store/db/cluster/distribute.ts)',
  SelectStmt: 'a migration neither reads nor moves rows of distributed tables, nor does a function of it',
  InsertStmt: 'a migration writes no rows of distributed tables',
  UpdateStmt: 'a migration changes no rows of distributed tables',
  DeleteStmt: 'a migration deletes no rows of distributed tables',
  CreateFunctionStmt: 'a function of a migration runs on the coordinator and may name no distributed table',
  DoStmt: 'a block runs as the role of the service, which does not own distributed tables',
}

/** Whether a statement names a table anywhere: as a relation, an object or within a text. */
function isNamed(statement: Tree, table: string): boolean {
  return new RegExp(`\\b${table}\\b`).test(JSON.stringify(statement))
}

function isDistributed(relation: unknown): boolean {
  return DISTRIBUTED_TABLES.some((table) => table === nameOf(relation))
}

function nameOf(relation: unknown): string {
  return String(treeOf(relation).relname)
}

/** The start looks for tables by their plain names. */
function qualified(relation: unknown): string[] {
  const { schemaname } = treeOf(relation)
  return schemaname === undefined ? [] : [`${nameOf(relation)} is named without its schema`]
}

/** Of a table that is not distributed: neither kind of table may refer to the other. */
function foreignKeyFaults(table: string): (constraint: Tree) => string[] {
  return ({ contype, pktable }) =>
    contype === 'CONSTR_FOREIGN' && isDistributed(pktable)
      ? [`Citus has no foreign key from a table of the coordinator (${table}) to a distributed one (${nameOf(pktable)})`]
      : []
}

/** Forms of ALTER TABLE that were tried. */
const TRIED = [
  'AT_DropColumn',
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_SetNotNull',
  'AT_DropConstraint',
  'AT_ValidateConstraint',
  'AT_SetRelOptions',
]

function commandFaults(table: string, { subtype, name, def }: Tree): string[] {
  const kind = String(subtype)
  if (kind === 'AT_AddConstraint') return constraintFaults(table, nodeOf(def, 'Constraint') ?? {}, [])
  if (kind === 'AT_AddColumn') {
    const column = nodeOf(def, 'ColumnDef') ?? {}
    return listOf(column.constraints).flatMap((one) => constraintFaults(table, nodeOf(one, 'Constraint') ?? {}, [String(column.colname)]))
  }
  if (kind === 'AT_DropColumn' && name === KEY) return [`${table} is distributed by ${KEY}, which cannot be dropped`]
  return TRIED.includes(kind) ? [] : [`ALTER TABLE in this form (${kind}) was never tried on a distributed table: ${table}`]
}

/** `own`: the column that the constraint stands at. */
function constraintFaults(table: string, constraint: Tree, own: readonly string[]): string[] {
  const kind = String(constraint.contype)
  const isOfColumn = own.length > 0
  if (kind === 'CONSTR_UNIQUE' || kind === 'CONSTR_PRIMARY')
    return hasKey([...own, ...textsOf(constraint.keys)]) ? [] : [lacksKey(table, 'a unique constraint')]
  if (kind === 'CONSTR_CHECK') return isOfColumn ? [`a check of ${table} is a constraint with a name, not part of a column`] : []
  if (kind === 'CONSTR_FOREIGN') return isOfColumn ? [lacksKey(table, 'a foreign key')] : foreignKeyOfNodes(table, constraint)
  if (kind === 'CONSTR_DEFAULT' && nodesOf(constraint.raw_expr, 'FuncCall').length > 0)
    return [`each shard of ${table} would compute the default of its rows for itself: give a constant`]
  return ['CONSTR_DEFAULT', 'CONSTR_NOTNULL', 'CONSTR_NULL'].includes(kind)
    ? []
    : [`a constraint of this kind (${kind}) was never tried on a distributed table: ${table}`]
}

function foreignKeyOfNodes(table: string, { pktable, fk_attrs, pk_attrs }: Tree): string[] {
  if (!isDistributed(pktable))
    return [`Citus has no foreign key from a distributed table (${table}) to one of the coordinator (${nameOf(pktable)})`]
  const [from, to] = [textsOf(fk_attrs), textsOf(pk_attrs)]
  const at = from.indexOf(KEY)
  return at >= 0 && to[at] === KEY ? [] : [lacksKey(table, 'a foreign key')]
}

function indexFaults(index: Tree): string[] {
  const table = nameOf(index.relation)
  const columns = listOf(index.indexParams).map((param) => String(nodeOf(param, 'IndexElem')?.name))
  return [
    ...(index.unique === true && !hasKey(columns) ? [lacksKey(table, 'a unique index')] : []),
    ...(index.idxname === undefined ? [`an index of ${table} has to have a name`] : []),
  ]
}

function lacksKey(table: string, what: string): string {
  return `${what} of a distributed table (${table}) has to contain ${KEY}`
}

function hasKey(columns: readonly string[]): boolean {
  return columns.includes(KEY)
}

function textsOf(list: unknown): string[] {
  return listOf(list).map((item) => String(nodeOf(item, 'String')?.sval))
}
