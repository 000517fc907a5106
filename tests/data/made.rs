//! PDFs made here, well-formed and not.

/// A PDF of these objects (numbers from 1 on; 1 is the catalog) with a cross-reference table.
pub fn pdf(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (ix, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", ix + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    out.extend(
        format!(
            "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    out
}

pub fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<< /Length {} {dict} >>\nstream\n", data.len()).into_bytes();
    out.extend(data);
    out.extend(b"\nendstream");
    out
}

/// A document of text pages; a page's text is drawn line by line.
pub fn text_pdf(pages: &[&str]) -> Vec<u8> {
    let contents = pages.iter().map(|text| stream("", &draw(text))).collect();
    pdf_of_contents(contents, Vec::new(), "")
}

pub fn draw(text: &str) -> Vec<u8> {
    let lines = text.lines().enumerate();
    lines
        .map(|(ix, line)| format!("BT /F1 10 Tf 50 {} Td ({line}) Tj ET\n", 750 - 14 * ix))
        .collect::<String>()
        .into_bytes()
}

/// A document with one page a content stream object; `more` are objects from number
/// `3 + 2 * pages` on, `resources` is added to every page's.
pub fn pdf_of_contents(contents: Vec<Vec<u8>>, more: Vec<Vec<u8>>, resources: &str) -> Vec<u8> {
    let count = contents.len();
    let kids: String = (0..count).map(|ix| format!("{} 0 R ", 3 + ix)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Count {count} /Kids [{kids}] >>").into_bytes(),
    ];
    for ix in 0..count {
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << \
                 /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> {resources} >> >>",
                3 + count + ix
            )
            .into_bytes(),
        );
    }
    objects.extend(contents);
    objects.extend(more);
    pdf(&objects, "")
}

/// A zlib stream that unpacks to `bytes` zeros, rounded up: matches of 258 at distance 1, in the
/// fixed code, 13 bits each.
pub fn zeros_packed(bytes: usize) -> Vec<u8> {
    let mut out = vec![0x78, 0x9c];
    let (mut bits, mut held) = (0_u64, 0);
    let mut push = |out: &mut Vec<u8>, value: u64, count: u32| {
        bits |= value << held;
        held += count;
        while held >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    };
    let reversed = |code: u64, count: u32| code.reverse_bits() >> (64 - count);
    push(&mut out, 0b011, 3); // last block, fixed code
    push(&mut out, reversed(0b0011_0000, 8), 8); // the literal 0
    for _ in 0..bytes.div_ceil(258) {
        push(&mut out, reversed(0b1100_0101, 8), 8); // length 258
        push(&mut out, 0, 5); // distance 1
    }
    push(&mut out, 0, 7); // end of block
    push(&mut out, 0, 8);
    out
}
