// Tables that are sorted by a click on a heading, and filtered by the group of a row.

/** Make the headings of a table sort it; get a function that sorts it again, as it was sorted last. */
export function makeSortable(table) {
  const headings = [...table.tHead.rows[0].cells].filter((heading) => !heading.classList.contains("plain"));
  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const order = heading.ariaSort === "ascending" ? "descending" : "ascending";
      for (const other of headings) other.setAttribute("aria-sort", other === heading ? order : "none");
      sort(table);
    });
  }
  return () => sort(table);
}

function sort(table) {
  const heading = [...table.tHead.rows[0].cells].find((each) => ["ascending", "descending"].includes(each.ariaSort));
  if (!heading) return;
  const sign = heading.ariaSort === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[heading.cellIndex]) }));
  rows.sort((one, other) => compare(one.key, other.key, sign));
  body.append(...rows.map(({ row }) => row));
}

/** What a cell is sorted by: its number, or its text; nothing where it is empty. */
function keyOf(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return cell.textContent === "–" ? null : cell.textContent;
}

/** Numbers before texts, and what is empty last in either order. */
function compare(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return sign * (one - other);
  return sign * String(one).localeCompare(String(other), "en", { numeric: true });
}

/** Put a box for each group of the tables' rows into a place; rows of a group without a tick are hidden. */
export function addFilter(place, tables) {
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const groups = [...new Set(rows.map((row) => row.dataset.group))];
  if (groups.length < 2) return;
  const fieldset = document.createElement("fieldset");
  fieldset.append(Object.assign(document.createElement("legend"), { textContent: "Groups shown in the tables" }));
  for (const group of groups) {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, value: group });
    box.addEventListener("change", () => {
      for (const row of rows) if (row.dataset.group === group) row.hidden = !box.checked;
    });
    const label = document.createElement("label");
    label.append(box, ` ${group}`);
    fieldset.append(label);
  }
  place.append(fieldset);
}
