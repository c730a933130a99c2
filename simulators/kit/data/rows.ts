/** Puts a record in the place of the one with the same `key`, or at the end. */
export function putRow<Row extends object>(rows: Row[], row: Row, key: keyof Row): void {
  const index = rows.findIndex((each) => each[key] === row[key])
  if (index < 0) rows.push(row)
  else rows[index] = row
}
